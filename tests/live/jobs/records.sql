-- Queries over orders, customers, sales and nested; each is named by the line before it.
-- sum
select cat, sum(amount) t from sales group by cat
-- having
select cat, sum(amount) t, count(*) from sales group by cat having count(*)>3
-- join
select o.id, c.name from orders o join customers c on o.cust=c.id where amount>50000
-- left
select o.id, c.name from orders o left join customers c on o.cust=c.id
-- full
select o.id, c.name from orders o full join customers c on o.cust=c.id and o.amount>100
-- right
select o.id, c.name from customers c right join orders o on o.cust=c.id
-- cross
select o.id, c.name from orders o cross join customers c where o.amount<50
-- nonequi
select o.id, s.amount from orders o join sales s on o.amount<s.amount and s.cat='toys'
-- semi
select * from customers c left semi join orders o on o.cust=c.id and o.amount>300
-- anti
select * from orders o left anti join customers c on o.cust=c.id
-- in
select * from customers where id in (select cust from orders where amount>300)
-- notin
select * from orders where cust not in (select id from customers)
-- exists
select * from customers c where exists (select 1 from orders o where o.cust=c.id and o.amount<c.id||0)
-- inor
select * from customers where id in (select cust from orders where amount>300) or name='Bob'
-- scalar
select * from orders where amount > (select avg(amount) from sales)
-- corr
select *, (select max(amount) from orders o where o.cust=c.id) m from customers c
-- corr2
select * from orders o where amount >= (select avg(amount) from orders i where i.cust=o.cust)
-- nested
select * from customers where id in (select cust from orders o where amount > (select min(amount) from orders i where i.cust=o.cust))
-- stack
select id, a from nested lateral view stack(2, id, g, xs[0].b) as a, b where id > 3
-- tuple
select g, a, b from nested lateral view json_tuple(to_json(xs[0]), 'a', 'b') as a, b
-- union
select cat from sales union all select id from customers
-- uniond
select cat from sales union select id from customers
-- distinct
select distinct cat from sales
-- intersect
select amount from sales intersect select amount from orders
-- except
select amount from sales except select amount from orders
-- intersectall
select cat from sales intersect all select cat from sales where amount>100
-- exceptall
select cat from sales except all select cat from sales where amount>100
-- rollup
select cat, amount>100 b, sum(amount) from sales group by rollup(cat, amount>100)
-- cube
select cat, amount>100 b, count(*), grouping_id() from sales group by cube(cat, amount>100)
-- gsets
select cat, sum(amount) from sales group by grouping sets((cat),())
-- pivot
select * from (select cust, id, amount from orders) pivot (sum(amount) for cust in ('c1','c2'))
-- cntd
select count(distinct cat), count(distinct amount), sum(amount) from sales
-- filteragg
select sum(amount) filter (where amount>100) a, count(*) from sales
-- window
select cat, amount, rank() over (partition by cat order by amount) r, sum(amount) over (partition by cat order by amount rows between 1 preceding and current row) s, lag(amount) over (partition by cat order by amount) l, ntile(2) over (partition by cat order by amount) n from sales
-- rank
select cat, t, rank() over (order by t desc) r from (select cat, sum(amount) t from sales group by cat)
-- explode
select id, x.a, x.b from nested lateral view explode(xs) t as x
-- posexplode
select id, p, x.b from nested lateral view posexplode(xs) t as p, x where p=1
-- outer
select id, y from nested lateral view outer explode(ys) t as y
-- maps
select id, k, v from nested lateral view explode(m) t as k, v
-- inline
select id, a, b from nested lateral view inline(xs) t
-- collect
select g, collect_list(xs[1].b) n, collect_list(id) c, sort_array(collect_set(id%2)) s, collect_set(id%3) z from nested group by g
-- cte
with t as (select g, count(*) n from nested group by g) select a.g, b.n from t a join t b on a.g=b.n-3+a.g
-- values
select v.x, s.cat from values (1,'toys'),(2,'x') v(x,c) join sales s on s.cat=v.c
-- range
select id, id*2 from range(3,20,2) where id>5
-- limit
select * from sales order by amount desc, cat limit 3
-- case
select case when amount>100 then cat else 'x' end k, xs.a q from sales join nested on id=amount%12
-- lateral
select c.name, l.m from customers c, lateral (select max(o.amount) m from orders o where o.cust=c.id) l
-- one
select 1 as a

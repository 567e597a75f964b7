d - interval 90 days
d + interval 3 days
d + 3
d - 3
d - d
ts - ts
ts - d
d - ts
d + interval 1 month
d - interval '1' year
ts + interval 1 month
ts - interval '2' year
ts + interval 2 hours
ts - interval 2 hours
d + interval 2 hours
d - interval 2 hours
d + dt
d - dt
d + dm
d + ym
d - ym
ts + dt
ts - dt
ts + ym
tn + dt
tn - tn
dt * 2
2 * dt
dt / 2
ym * i
ym / i
dt + dt
dt - dm
-dt
-ym
-i
+i
interval 3 days
interval '1-2' year to month
make_interval(1,2)
d + make_interval(0,1)
ts + make_interval(0,1)
make_dt_interval(i)
extract(year from d)
extract(week from ts)
date_part('month', d)
dateadd(month, 1, d)
dateadd(day, 1, d)
datediff(day, d, ts)
timestampadd(hour, 1, ts)
date_add(d, i)
date_trunc('month', ts)
trunc(d,'year')
s like 'a%'
s not like 'a%'
s like any ('a%','b%')
s like all ('a%','b%')
s ilike 'a%'
s rlike 'a'
s not rlike 'a'
s like 'a!%' escape '!'
i between 1 and 3
i not between 1 and 3
i in (1,2)
i not in (1,2)
s in ('a',null)
i is null
i is not null
t is true
t is not true
t is false
t is unknown
t is not unknown
i is distinct from 1
i is not distinct from 1
i <=> 1
i <> 1
i != 1
not t
i % 2
i div 2
x / 2
i / 2
c * c
c / c
c + i
c % 2
pmod(i,2)
i & 1
i | 1
i ^ 1
~i
i << 1
i >> 1
i >>> 1
case when i = 1 then 'a' else 'b' end
case i when 1 then 'a' when 2 then 'b' end
if(t, 1, 2)
iff(t,1,2)
nvl(i, 1)
nvl2(i,1,2)
ifnull(i,1)
nullif(i,1)
coalesce(i,l)
a[0]
m['k']
st.u
st.v
a[i]
element_at(a,1)
element_at(m,'k')
get(a,0)
struct(i, s)
named_struct('a', i)
array(i, i)
map('a', i)
transform(a, x -> x + 1)
transform(a, (x, i) -> x + i)
filter(a, x -> x > 1)
aggregate(a, 0, (acc, x) -> acc + x)
aggregate(a, 0, (acc, x) -> acc + x, acc -> acc * 2)
reduce(a, 0, (acc, x) -> acc + x)
exists(a, x -> x > 1)
forall(a, x -> x > 1)
zip_with(a, a, (x, y) -> x + y)
transform_values(m, (k, v) -> v + 1)
transform_keys(m, (k, v) -> concat(k, 'a'))
map_filter(m, (k, v) -> v > 1)
map_zip_with(m, m, (k, v, w) -> v + w)
array_sort(a, (x, y) -> x - y)
array_sort(a)
cast(s as int)
try_cast(s as int)
s :: int
cast(i as string)
cast(d as timestamp)
cast(ts as date)
cast(i as decimal(10,2))
cast(dt as string)
int(s)
string(i)
date(s)
timestamp(s)
s || 'a'
concat(s, i)
substring(s, 1, 2)
substring(s from 1 for 2)
substr(s, 2)
position('a' in s)
overlay(s placing 'x' from 1)
trim(s)
trim(both 'a' from s)
trim(leading 'a' from s)
trim(trailing from s)
btrim(s, 'a')
ltrim('a', s)
year(d)
current_date()
current_timestamp()
date'2020-01-01'
timestamp'2020-01-01 00:00:00'
timestamp_ntz'2020-01-01 00:00:00'
timestamp_ltz'2020-01-01 00:00:00'
X'1F'
1e3
1.5BD
1.5F
1.5D
2L
1S
1Y
'it''s'
"it's"
'a\'b'
'a\nb'
'a\\b'
r'a\d'
null
true
s > 'a'
round(c, 1)
round(x)
bround(x, 1)
ceil(x)
ceil(x, 1)
floor(c)
floor(c, 1)
to_date(s)
to_date(s, 'yyyy')
to_timestamp(s)
to_timestamp(s, 'yyyy')
try_to_timestamp(s)
date_format(d, 'yyyy')
from_unixtime(l)
to_json(st)
from_json(s, 'a int')
get_json_object(s, '$.a')
schema_of_json('{"a":1}')
from_csv(s, 'a int')
to_csv(st)
split(s, ',')
regexp_extract(s, 'a', 0)
regexp_replace(s, 'a', 'b')
regexp_extract_all(s, 'a', 0)
hash(i)
xxhash64(i)
sha2(s, 256)
md5(s)
least(i, 1)
greatest(i, 1)
width_bucket(x, 0, 1, 3)
bool(s)
st.u + st.u
(st).u
named_struct('a', i).a
array(1,2,3)[1]
map('a',1)['a']
date'2020-01-01' - interval 90 days
monthname(d)
dayname(d)
add_months(d, 1)
last_day(d)
next_day(d, 'MON')
months_between(d, d)
s collate UNICODE
collate(s, 'UTF8_LCASE')
try_add(i, 1)
try_divide(i, 1)
try_subtract(d, dt)
try_multiply(i, 1)
try_element_at(a, 1)
equal_null(i, 1)
typeof(i)
parse_json(s)
variant_get(parse_json(s), '$.a', 'int')
try_variant_get(parse_json(s), '$.a', 'int')
i + 1
i - 1
i * 1
- (i + 1)
(i + 1) * 2
i = 1 and t or not t
contains(s, 'a')
startswith(s, 'a')
endswith(s, 'a')
lpad(s, 3)
rpad(s, 3, 'x')
mask(s)

package io.headwater.spark.plan;

import io.headwater.spark.reflection.Mirror;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation;
import org.apache.spark.sql.catalyst.analysis.NamedRelation;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.LeafExpression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LeafNode;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Product;

/**
 * What is the same for all instances of a case class: its names and what is written about each node of it.
 * Made once a class. The fields' names come from {@code productElementName} (Scala 2.13); Scala 2.12 has no such
 * method: they are those of the class's own fields that hold the product's elements.
 */
final class Shape {
  final String name;
  final String className;
  final String lowerName;
  final String[] fields;
  final boolean named;
  final boolean expression;
  final boolean plan;
  final boolean leaf;
  final boolean command;
  final boolean output;
  /** A leaf that names something of a catalog which has not become a relation. */
  final boolean naming;
  /** A command that leaves what already exists under its name. */
  final boolean keeping;
  /** A value that has its type among its fields. */
  final boolean typed;
  /** An expression that takes a struct's member by its place. */
  final boolean member;

  private static final ClassValue<Shape[]> SHAPES =
      new ClassValue<Shape[]>() {
        @Override
        protected Shape[] computeValue(Class<?> type) {
          return new Shape[1];
        }
      };

  private Shape(Product product) {
    Class<?> type = product.getClass();
    name = Mirror.simpleName(type);
    className = type.getName();
    lowerName = name.toLowerCase(Locale.ROOT);
    fields = fieldNames(product);
    named = product instanceof NamedExpression;
    expression = product instanceof Expression;
    plan = product instanceof LogicalPlan;
    command = product instanceof Command;
    keeping = command && has("allowExisting");
    leaf = product instanceof LeafNode;
    output = plan && !passesOn(name);
    naming = leaf && !isRelation(product) && has("catalog") && has("identifier");
    typed = product instanceof LeafExpression && !named && has("dataType");
    member = expression && has("ordinal") && Mirror.has(product, "childSchema");
  }

  static Shape of(Product product) {
    Shape[] holder = SHAPES.get(product.getClass());
    if (holder[0] == null) {
      holder[0] = new Shape(product);
    }
    return holder[0];
  }

  private static boolean isRelation(Product product) {
    return product instanceof NamedRelation || product instanceof MultiInstanceRelation;
  }

  private boolean has(String field) {
    for (String each : fields) {
      if (each.equals(field)) {
        return true;
      }
    }
    return false;
  }

  /** Expression, plan or command; a tree node may be none of them. */
  String sort() {
    return expression ? "expression" : command ? "command" : plan ? "plan" : "part";
  }

  /**
   * Plans whose output follows from their fields, so that the brain computes it. They are most of a plan's operators: with
   * their outputs a document of many columns would be several times as long.
   */
  private static boolean passesOn(String name) {
    switch (name) {
      case "Project":
      case "Filter":
      case "Join":
      case "Sort":
      case "SubqueryAlias":
      case "GlobalLimit":
      case "LocalLimit":
      case "Distinct":
      case "Repartition":
      case "RepartitionByExpression":
      case "Window":
      case "Aggregate":
        return true;
      default:
        return false;
    }
  }

  private static String[] fieldNames(Product product) {
    String[] names = new String[product.productArity()];
    if (!namedByProduct(product, names)) {
      namedByFields(product, names);
    }
    for (int i = 0; i < names.length; i++) {
      names[i] = names[i] == null ? "_" + (i + 1) : names[i];
    }
    return names;
  }

  private static boolean namedByProduct(Product product, String[] names) {
    try {
      Method nameOf = product.getClass().getMethod("productElementName", int.class);
      for (int i = 0; i < names.length; i++) {
        names[i] = (String) nameOf.invoke(product, i);
      }
      return true;
    } catch (ReflectiveOperationException | RuntimeException e) {
      return false;
    }
  }

  /** Parameters are a class's first fields, in their order; each is checked against the element it should be. */
  private static void namedByFields(Product product, String[] names) {
    List<Field> candidates = ownFields(product.getClass());
    for (int i = 0; i < names.length; i++) {
      Object element = product.productElement(i);
      for (Field field : candidates) {
        if (holds(field, product, element)) {
          names[i] = plainName(field);
          candidates.remove(field);
          break;
        }
      }
    }
  }

  /** Without lazy values, which Scala 2.12 lays out before the parameters. */
  private static List<Field> ownFields(Class<?> type) {
    Set<String> methods = new HashSet<>();
    for (Method method : type.getDeclaredMethods()) {
      methods.add(method.getName());
    }
    List<Field> fields = new ArrayList<>();
    for (Field field : type.getDeclaredFields()) {
      boolean lazy = methods.contains(field.getName() + "$lzycompute");
      if (!lazy && !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
        fields.add(field);
      }
    }
    return fields;
  }

  private static boolean holds(Field field, Object owner, Object element) {
    try {
      field.setAccessible(true);
      Object value = field.get(owner);
      return value == element || field.getType().isPrimitive() && value.equals(element);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return false;
    }
  }

  /** A private parameter's field carries its class: {@code org$apache$…$$parameter}. */
  private static String plainName(Field field) {
    String name = field.getName();
    return name.substring(name.lastIndexOf("$$") < 0 ? 0 : name.lastIndexOf("$$") + 2);
  }
}

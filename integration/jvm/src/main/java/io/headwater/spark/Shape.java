package io.headwater.spark;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LeafNode;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Product;

/**
 * What is the same for all instances of a case class: its names and what is to be said about each node of it.
 * Made once a class. The fields' names come from {@code productElementName} (Scala 2.13); Scala 2.12 has no such
 * method, there they are those of the class's own fields that hold the product's elements.
 */
final class Shape {
  final String name;
  final String className;
  final String[] fields;
  final boolean named;
  final boolean expression;
  final boolean source;
  final boolean output;

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
    fields = fieldNames(product);
    named = product instanceof NamedExpression;
    expression = product instanceof Expression;
    source = product instanceof LeafNode || product instanceof Command || Targets.writes(name);
    output = product instanceof LogicalPlan && !passesOn(name);
  }

  static Shape of(Product product) {
    Shape[] holder = SHAPES.get(product.getClass());
    if (holder[0] == null) {
      holder[0] = new Shape(product);
    }
    return holder[0];
  }

  /** Plans whose output follows from their fields. */
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

package io.headwater.spark.plan;

import io.headwater.spark.data.FrameRows;
import io.headwater.spark.data.RddInputs;
import io.headwater.spark.document.Json;
import io.headwater.spark.document.Redaction;
import io.headwater.spark.reflection.Mirror;
import java.net.URI;
import java.util.Arrays;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Product;

/**
 * The elements of a node, as JSON values. Only tree nodes, collections and the products of {@link #isKnown} are
 * walked into; objects that hold or name data are described by {@link Facts}; anything else is {@code {"o": class}}:
 * bytes, rows and options never leave the driver, and functions go to the brain alone, as commands or instructions.
 */
final class Values {
  private static final int MAX_LITERAL = 256;
  private static final int MAX_NESTING = 8;
  /** What a function of the program is called in Spark's operators and expressions. */
  private static final Set<String> FUNCTIONS = 
      new HashSet<>(Arrays.asList("function", "func", "agg", "aggregator"));

  /** The nodes that are written, as their elements refer to them. */
  interface Nodes {
    /** Whether no collection is written, nor walked into. */
    boolean isBare();

    /** Whether no further subtree is begun. */
    boolean full();

    /** The index of a type. */
    int type(DataType type);

    /** The index of a node that has been written, or -1 for one that was cut. */
    int index(TreeNode<?> node);
  }

  private final Nodes nodes;
  private final Facts facts;
  /** Of the RDDs that were met; null for one that is not made of a frame's rows alone. */
  private final Map<RDD<?>, FrameRows> rowsOf = new IdentityHashMap<>();
  /** Of the node whose elements are written. */
  private Shape owner;
  private boolean resolve;

  Values(Nodes nodes, Facts facts) {
    this.nodes = nodes;
    this.facts = facts;
  }

  /** @param resolve whether the names that the node holds are looked up in the session's catalog */
  void enter(Shape owner, boolean resolve) {
    this.owner = owner;
    this.resolve = resolve;
    facts.enter();
  }

  /** An element that could not be read. */
  static final class Broken {
    final Throwable cause;

    Broken(Throwable cause) {
      this.cause = cause;
    }
  }

  /** Adds the tree nodes that {@link #write} will refer to. */
  void collect(Object value, List<TreeNode<?>> found) {
    collect(value, found, 0);
  }

  void collectAll(List<Object> values, List<TreeNode<?>> found) {
    if (values != null) {
      for (Object value : values) {
        collect(value, found, 0);
      }
    }
  }

  private void collect(Object raw, List<TreeNode<?>> found, int depth) {
    Object value = treesOf(Mirror.content(raw));
    if (value instanceof TreeNode && value instanceof Product) {
      found.add((TreeNode<?>) value);
    } else if (value == null || value instanceof DataType || depth > MAX_NESTING) {
      return;
    } else if (value instanceof RDD) {
      FrameRows rows = rowsOf((RDD<?>) value);
      if (rows != null) {
        found.add(rows.plan());
      }
    } else if (value instanceof scala.collection.Iterable && !(value instanceof scala.collection.Map)) {
      if (nodes.isBare()) {
        return;
      }
      collectEach((scala.collection.Iterable<?>) value, found, depth);
    } else if (value instanceof Product && (isTuple(value) || isKnown(value))) {
      Product product = (Product) value;
      for (int i = 0; i < product.productArity(); i++) {
        collect(product.productElement(i), found, depth + 1);
      }
    }
  }

  /** The values of a map of tree nodes, as of a bean's setters; any other value as it is. */
  private static Object treesOf(Object value) {
    if (!(value instanceof scala.collection.Map)) {
      return value;
    }
    scala.collection.Iterable<?> held = ((scala.collection.Map<?, ?>) value).values();
    return !held.isEmpty() && held.head() instanceof TreeNode ? held : value;
  }

  private void collectEach(scala.collection.Iterable<?> values, List<TreeNode<?>> found, int depth) {
    scala.collection.Iterator<?> each = values.iterator();
    boolean first = true;
    while (each.hasNext()) {
      Object value = each.next();
      if (first && isOpaque(value)) {
        return;
      }
      first = false;
      collect(value, found, depth + 1);
    }
  }

  /** Writes one element; one that throws is written as the class of what it threw. */
  void write(String field, Object value, Json out) {
    int before = out.size();
    try {
      write(field, value, out, 0);
    } catch (Exception | LinkageError | StackOverflowError e) {
      out.truncate(before);
      opaque(e.getClass(), out);
    }
  }

  private void write(String field, Object raw, Json out, int depth) {
    Object value = treesOf(Mirror.content(raw));
    if (value == null) {
      out.raw("null");
    } else if (value instanceof TreeNode && value instanceof Product) {
      reference((TreeNode<?>) value, out);
    } else if (value instanceof String || value instanceof UTF8String) {
      String text = owner.plan ? Redaction.url(value.toString()) : value.toString();
      out.string(text, field.equals("value") ? MAX_LITERAL : Json.MAX_TEXT);
    } else if (value instanceof Character) {
      out.string(value.toString(), Json.MAX_TEXT);
    } else if (value instanceof Boolean) {
      out.raw(value.toString());
    } else if (value instanceof Number) {
      number((Number) value, out);
    } else if (value instanceof DataType) {
      out.raw("{\"T\":").number(nodes.type((DataType) value)).raw("}");
    } else if (value instanceof ExprId) {
      out.raw("{\"x\":").number(((ExprId) value).id()).raw("}");
    } else if (depth > MAX_NESTING) {
      opaque(value.getClass(), out);
    } else {
      structured(field, value, out, depth);
    }
  }

  private void structured(String field, Object value, Json out, int depth) {
    if (value instanceof scala.collection.Map || value instanceof java.util.Map) {
      Options.write(field, value, out);
    } else if (value instanceof scala.collection.Iterable) {
      list(field, (scala.collection.Iterable<?>) value, out, depth);
    } else if (value instanceof Enum) {
      name(((Enum<?>) value).name(), out);
    } else if (value instanceof scala.Enumeration.Value) {
      name(value.toString(), out);
    } else if (value instanceof Path || value instanceof URI) {
      out.string(Redaction.url(value.toString()), Json.MAX_TEXT);
    } else if (value.equals(Metadata.empty())) {
      out.raw("null");
    } else if (value instanceof Decimal) {
      out.string(value.toString());
    } else if (value instanceof Broken) {
      opaque(((Broken) value).cause.getClass(), out);
    } else if (value instanceof RDD) {
      rdd((RDD<?>) value, out);
    } else if (facts.write(value, resolve, out)) {
      return;
    } else if (value instanceof Product) {
      product((Product) value, out, depth);
    } else {
      other(field, value, out);
    }
  }

  /** What an RDD makes of a frame's rows, followed once; what it was when it was collected is what is written. */
  private FrameRows rowsOf(RDD<?> rdd) {
    if (nodes.isBare()) {
      return null;
    }
    if (!rowsOf.containsKey(rdd)) {
      rowsOf.put(rdd, FrameRows.below(rdd));
    }
    return rowsOf.get(rdd);
  }

  /** An RDD by the files below it; one of a frame's rows, by that frame and what functions of Python do to them. */
  private void rdd(RDD<?> rdd, Json out) {
    out.raw("{\"k\":\"rdd\"");
    RddInputs.describe(rdd, out);
    FrameRows rows = rowsOf(rdd);
    if (rows != null) {
      out.key("functions").raw("[");
      for (Object each : rows.functions()) {
        out.next();
        facts.write(each, false, out);
      }
      out.raw("]").key("a").raw("{").key("rows");
      reference(rows.plan(), out);
      out.raw("}");
    }
    out.raw("}");
  }

  /** A Scala object by its name, a function of the program by what its class file has, anything else by its class. */
  private void other(String field, Object value, Json out) {
    if (value.getClass().getName().endsWith("$")) {
      name(Mirror.simpleName(value.getClass()), out);
    } else if (FUNCTIONS.contains(field)) {
      facts.function(value, out);
    } else if (owner.command || owner.leaf) {
      facts.other(value, out);
    } else {
      opaque(value.getClass(), out);
    }
  }

  private void product(Product product, Json out, int depth) {
    if (isTuple(product)) {
      out.put('[');
      for (int i = 0; i < product.productArity(); i++) {
        out.next();
        write("", product.productElement(i), out, depth + 1);
      }
      out.put(']');
    } else if (isKnown(product)) {
      Shape shape = Shape.of(product);
      out.raw("{").field("p", shape.name).key("a").raw("{");
      for (int i = 0; i < shape.fields.length; i++) {
        out.key(shape.fields[i]);
        write(shape.fields[i], product.productElement(i), out, depth + 1);
      }
      out.raw("}}");
    } else {
      other("", product, out);
    }
  }

  private void list(String field, scala.collection.Iterable<?> values, Json out, int depth) {
    int before = out.size();
    scala.collection.Iterator<?> each = values.iterator();
    boolean cut = false;
    out.put('[');
    while (each.hasNext()) {
      Object value = each.next();
      if (out.size() == before + 1 && (nodes.isBare() || isOpaque(value))) {
        out.truncate(before);
        unopened(values, value, out);
        return;
      }
      boolean missing = isMissing(value);
      if (!missing || !cut) {
        out.next();
        write(field, value, out, depth + 1);
      }
      cut = missing;
    }
    out.put(']');
  }

  private boolean isMissing(Object value) {
    return value instanceof TreeNode && nodes.full() && nodes.index((TreeNode<?>) value) < 0;
  }

  void writeIndexes(List<Object> attributes, Json out) {
    out.put('[');
    for (Object attribute : attributes) {
      int index = nodes.index((TreeNode<?>) attribute);
      if (index >= 0) {
        out.next().number(index);
      }
    }
    out.put(']');
  }

  private void reference(TreeNode<?> node, Json out) {
    int index = nodes.index(node);
    if (index < 0) {
      out.raw("{\"cut\":true}");
    } else {
      out.raw("{\"r\":").number(index).raw("}");
    }
  }

  private static void number(Number value, Json out) {
    if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
      out.number(value.longValue());
    } else if (Double.isNaN(value.doubleValue()) || Double.isInfinite(value.doubleValue())) {
      out.string(value.toString());
    } else if (value instanceof Double || value instanceof Float) {
      out.raw(value.toString().toLowerCase(Locale.ROOT));
    } else {
      out.string(value.toString());
    }
  }

  private static void name(String name, Json out) {
    out.raw("{").field("e", name).raw("}");
  }

  private static void opaque(Class<?> type, Json out) {
    out.raw("{").field("o", type.getName()).raw("}");
  }

  /** A collection without its elements. Of rows their class tells who made them: Spark's parser, or an nodes. */
  private static void unopened(Object values, Object first, Json out) {
    out.raw("{").field("o", values.getClass().getName());
    if (first instanceof InternalRow) {
      out.field("of", first.getClass().getSimpleName());
    }
    out.raw("}");
  }

  /** Rows, bytes and the like: a collection of them is not worth its elements. */
  private static boolean isOpaque(Object value) {
    if (value instanceof Byte || value instanceof byte[]) {
      return true;
    }
    Object content = Mirror.content(value);
    return content != null
        && !(content instanceof String)
        && !(content instanceof Number)
        && !(content instanceof Boolean)
        && !(content instanceof DataType)
        && !(content instanceof scala.collection.Iterable)
        && !(content instanceof ExprId)
        && !(content instanceof Enum)
        && !(content instanceof Product && (content instanceof TreeNode || isTuple(content) || isKnown(content)));
  }

  private static boolean isTuple(Object value) {
    return value instanceof scala.Tuple2 || value instanceof scala.Tuple3 || value instanceof scala.Tuple4;
  }

  private static boolean isKnown(Object value) {
    if (value instanceof JoinType) {
      return !value.getClass().getName().endsWith("$");
    }
    switch (Mirror.simpleName(value.getClass())) {
      case "AliasIdentifier":
      case "FunctionIdentifier":
      case "CommonExpressionId":
      case "StructField":
      case "BucketSpec":
      case "TableSpec":
        return true;
      default:
        return false;
    }
  }
}

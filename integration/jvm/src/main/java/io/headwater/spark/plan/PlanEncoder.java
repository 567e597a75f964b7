package io.headwater.spark.plan;

import io.headwater.spark.data.Places;
import io.headwater.spark.document.Json;
import io.headwater.spark.reflection.Mirror;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import scala.Product;

/**
 * Writes a plan as a flat table of nodes: {@code {"classes", "types", "nodes", "root", "truncated", …}}.
 *
 * <p>Each node is a Catalyst tree node with the elements of its case class, in their order. Nodes stand in
 * post-order, so that a node refers to earlier ones only; a node that is shared stands once, and so do attributes
 * that are equal, types and classes. The walk keeps its own stack: depth is bounded by memory, not by the thread.
 * It never interprets what a node means.
 *
 * <p>Once {@code maxBytes} are written no new subtree is begun: what is left out is {@code {"cut": true}} where it
 * was referred to. When even that passes twice the bound, {@link PlanTooLarge} is thrown.
 */
public final class PlanEncoder implements Values.Nodes {
  private static final Integer OPEN = -1;

  private final Catalog catalog;
  private final int maxBytes;
  private final boolean bare;
  private final Json nodes = new Json(1 << 16);
  private final Json types = new Json(1 << 12);
  private final Map<Shape, Integer> classes = new LinkedHashMap<>();
  private final Map<DataType, Integer> typeIndex = new HashMap<>();
  private final Map<String, Integer> spelled = new HashMap<>();
  private final IdentityHashMap<DataType, Integer> typeIdentity = new IdentityHashMap<>();
  private final IdentityHashMap<Object, Integer> done = new IdentityHashMap<>();
  private final Map<AttributeReference, Integer> attributes = new HashMap<>();
  private final Values values;
  private int count;
  private boolean truncated;

  private PlanEncoder(Object session, int maxBytes, boolean bare) {
    this.catalog = new Catalog(session);
    this.values = new Values(this, new Facts(catalog));
    this.maxBytes = maxBytes;
    this.bare = bare;
  }

  /** The plan's document, appended to {@code out}; without a session (null) no name is looked up. */
  public static void encode(TreeNode<?> plan, Object session, Json out, int maxBytes) {
    new PlanEncoder(session, maxBytes, false).encode(plan, out);
  }

  /** The document of one leaf without its columns: what it reads. */
  public static void encodeLeaf(TreeNode<?> leaf, Json out, int maxBytes) {
    new PlanEncoder(null, maxBytes, true).encode(leaf, out);
  }

  private void encode(TreeNode<?> plan, Json out) {
    walk(plan);
    assemble(index(plan), out);
  }

  @Override
  public boolean isBare() {
    return bare;
  }

  private static final class Frame {
    final TreeNode<?> node;
    final Shape shape;
    final List<TreeNode<?>> children = new ArrayList<>();
    List<Object> output;
    int next;

    Frame(TreeNode<?> node) {
      this.node = node;
      this.shape = Shape.of((Product) node);
    }
  }

  private void walk(TreeNode<?> root) {
    ArrayDeque<Frame> stack = new ArrayDeque<>();
    stack.push(open(root));
    while (!stack.isEmpty()) {
      Frame frame = stack.peek();
      TreeNode<?> child = nextChild(frame);
      if (child != null) {
        stack.push(open(child));
      } else {
        write(frame);
        stack.pop();
      }
    }
  }

  private Frame open(TreeNode<?> node) {
    Frame frame = new Frame(node);
    done.put(node, OPEN);
    Product product = (Product) node;
    for (int i = 0; i < frame.shape.fields.length; i++) {
      values.collect(element(product, i), frame.children);
    }
    if (frame.shape.output && !bare) {
      frame.output = output(node);
      values.collectAll(frame.output, frame.children);
    }
    return frame;
  }

  private TreeNode<?> nextChild(Frame frame) {
    while (frame.next < frame.children.size()) {
      TreeNode<?> child = frame.children.get(frame.next++);
      if (find(child) == null && !full()) {
        return child;
      }
    }
    return null;
  }

  /** The node's index, {@link #OPEN} while its own subtree is being written, or null. */
  private Integer find(TreeNode<?> node) {
    Integer index = done.get(node);
    if (index == null && node instanceof AttributeReference) {
      index = attributes.get(node);
      if (index != null) {
        done.put(node, index);
      }
    }
    return index;
  }

  @Override
  public int index(TreeNode<?> node) {
    Integer index = find(node);
    if (index == null || index < 0) {
      truncated = true;
      return -1;
    }
    return index;
  }

  @Override
  public boolean full() {
    return nodes.size() + types.size() > maxBytes;
  }

  @Override
  public int type(DataType type) {
    Integer known = typeIdentity.get(type);
    if (known == null) {
      known = typeIndex.computeIfAbsent(type, this::spell);
      typeIdentity.put(type, known);
    }
    return known;
  }

  /** Object types of different classes are spelled the same. */
  private Integer spell(DataType type) {
    String json = spelling(type);
    Integer known = spelled.get(json);
    if (known == null) {
      known = spelled.size();
      spelled.put(json, known);
      types.next().text(json);
    }
    return known;
  }

  /** Spark's JSON leaves out by which rules strings are compared, unless a table has them. */
  private static String spelling(DataType type) {
    return type instanceof StringType ? '"' + type.typeName() + '"' : type.json();
  }

  private void write(Frame frame) {
    if (nodes.size() + types.size() > 2L * maxBytes) {
      throw new PlanTooLarge(maxBytes);
    }
    Shape shape = frame.shape;
    Product product = (Product) frame.node;
    values.enter(shape, shape.command && (shape.keeping || frame.children.isEmpty()));
    nodes.next().raw("{\"c\":").number(classes.computeIfAbsent(shape, key -> classes.size())).raw(",\"a\":[");
    for (int i = 0; i < shape.fields.length; i++) {
      nodes.next();
      values.write(shape.fields[i], element(product, i), nodes);
    }
    nodes.put(']');
    if (shape.expression) {
      describe((Expression) frame.node, shape);
    }
    if (frame.output != null) {
      nodes.raw(",\"out\":");
      values.writeIndexes(frame.output, nodes);
    }
    if (shape.naming) {
      guarded(() -> catalog.identifier(Mirror.get(product, "catalog"), Mirror.get(product, "identifier"), nodes));
      guarded(() -> Facts.database(Mirror.get(product, "catalog"), nodes));
    }
    nodes.put('}');
    done.put(frame.node, count);
    if (frame.node instanceof AttributeReference) {
      attributes.put((AttributeReference) frame.node, count);
    }
    count++;
  }

  private void describe(Expression node, Shape shape) {
    if (shape.named) {
      guarded(() -> name((NamedExpression) node));
    }
    guarded(() -> typeOf(node, shape));
    if (shape.member) {
      guarded(() -> member(node));
    }
    if (!shape.named && !shape.typed) {
      guarded(() -> function(node, shape));
    }
  }

  private void name(NamedExpression named) {
    nodes.field("id", named.exprId().id()).key("n").string(named.name(), Json.MAX_TEXT).raw(",\"q\":[");
    for (String part : Mirror.texts(Mirror.get(named, "qualifier"))) {
      nodes.next().string(part);
    }
    nodes.put(']');
  }

  private void typeOf(Expression node, Shape shape) {
    if (shape.typed || !node.resolved()) {
      return;
    }
    if (shape.named) {
      nodes.field("t", type(node.dataType()));
    } else {
      DataType type = node.dataType();
      if (type instanceof StructType || type instanceof ArrayType || type instanceof MapType) {
        nodes.field("t", type(type));
      }
    }
  }

  private void member(Expression node) {
    StructType struct = (StructType) Mirror.get(node, "childSchema");
    nodes.field("f", struct.fields()[(Integer) Mirror.get(node, "ordinal")].name());
  }

  /** The name under which a program calls the function, where it is not the class's. */
  private void function(Expression node, Shape shape) {
    String name = node.prettyName();
    if (name != null && !name.equals(shape.lowerName)) {
      nodes.key("fn").string(name, Json.MAX_TEXT);
    }
  }

  /** An extra that throws is left out, and whatever it had begun to write with it. */
  private void guarded(Runnable extra) {
    int before = nodes.size();
    try {
      extra.run();
    } catch (Exception | LinkageError | StackOverflowError e) {
      nodes.truncate(before);
    }
  }

  private static Object element(Product product, int i) {
    try {
      return product.productElement(i);
    } catch (Exception | LinkageError e) {
      return new Values.Broken(e);
    }
  }

  private static List<Object> output(TreeNode<?> plan) {
    try {
      return Mirror.list(Mirror.get(plan, "output"));
    } catch (Exception | LinkageError | StackOverflowError e) {
      return null;
    }
  }

  private void assemble(int root, Json out) {
    out.raw("{\"classes\":[");
    for (Shape shape : classes.keySet()) {
      out.next().raw("{").field("name", shape.name).field("class", shape.className);
      out.field("sort", shape.sort()).key("fields").raw("[");
      for (String field : shape.fields) {
        out.next().string(field);
      }
      out.raw("]}");
    }
    out.raw("],\"types\":[").append(types).raw("],\"nodes\":[").append(nodes).raw("]");
    out.field("root", root).field("truncated", truncated);
    if (!bare) {
      places(out);
    }
    out.raw("}");
  }

  private static void places(Json out) {
    int before = out.size();
    try {
      Places.write(out);
    } catch (Exception | LinkageError e) {
      out.truncate(before);
    }
  }
}

package io.headwater.spark.code;

import io.headwater.spark.document.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.xbean.asm9.Opcodes;
import org.apache.xbean.asm9.tree.AbstractInsnNode;
import org.apache.xbean.asm9.tree.FieldInsnNode;
import org.apache.xbean.asm9.tree.IincInsnNode;
import org.apache.xbean.asm9.tree.IntInsnNode;
import org.apache.xbean.asm9.tree.InvokeDynamicInsnNode;
import org.apache.xbean.asm9.tree.JumpInsnNode;
import org.apache.xbean.asm9.tree.LabelNode;
import org.apache.xbean.asm9.tree.LdcInsnNode;
import org.apache.xbean.asm9.tree.LineNumberNode;
import org.apache.xbean.asm9.tree.LookupSwitchInsnNode;
import org.apache.xbean.asm9.tree.MethodInsnNode;
import org.apache.xbean.asm9.tree.MethodNode;
import org.apache.xbean.asm9.tree.MultiANewArrayInsnNode;
import org.apache.xbean.asm9.tree.TableSwitchInsnNode;
import org.apache.xbean.asm9.tree.TypeInsnNode;
import org.apache.xbean.asm9.tree.VarInsnNode;

/**
 * Writes the instructions of a function, and of the methods of its own class that it calls and that no other class can
 * replace. Each is an array: its number, and what belongs to it. The brain reads what the function does of that.
 */
public final class Functions {
  private static final int MOST_METHODS = 40;
  private static final int MOST_INSTRUCTIONS = 3_000;
  private static final int MOST_TEXT = 200;

  private Functions() {}

  /** Writes the members of a function's description; of one whose class file is not there, or is too large, its class alone. */
  public static void write(Object function, Json out) {
    out.field("o", function.getClass().getName());
    int before = out.size();
    try {
      Body body = Body.of(function);
      Map<String, MethodNode> methods = body == null ? null : called(body);
      if (methods != null) {
        out.raw(",\"k\":\"jvm\"").field("file", body.type.sourceFile).field("class", body.type.name);
        out.field("captured", body.captured).field("entry", key(body.method));
        out.key("methods").raw("{");
        for (Map.Entry<String, MethodNode> each : methods.entrySet()) {
          out.key(each.getKey());
          method(each.getValue(), out);
        }
        out.raw("}");
      }
    } catch (Exception | LinkageError e) {
      out.truncate(before);
    }
  }

  private static String key(MethodNode method) {
    return method.name + method.desc;
  }

  private static Map<String, MethodNode> called(Body body) {
    Map<String, MethodNode> own = new LinkedHashMap<>();
    for (MethodNode each : body.type.methods) {
      own.put(key(each), each);
    }
    Map<String, MethodNode> found = new LinkedHashMap<>();
    ArrayDeque<MethodNode> pending = new ArrayDeque<>();
    pending.add(body.method);
    int instructions = 0;
    while (!pending.isEmpty()) {
      MethodNode method = pending.poll();
      if (found.put(key(method), method) != null) {
        continue;
      }
      instructions += method.instructions.size();
      if (found.size() > MOST_METHODS || instructions > MOST_INSTRUCTIONS) {
        return null;
      }
      for (AbstractInsnNode each : method.instructions) {
        if (each instanceof MethodInsnNode && ((MethodInsnNode) each).owner.equals(body.type.name)) {
          MethodNode next = own.get(((MethodInsnNode) each).name + ((MethodInsnNode) each).desc);
          if (next != null && isCertain(next)) {
            pending.add(next);
          }
        }
      }
    }
    return found;
  }

  /** Whether no class below can have another method in its place. */
  private static boolean isCertain(MethodNode method) {
    return (method.access & (Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE)) != 0 && (method.access & Opcodes.ACC_NATIVE) == 0;
  }

  private static void method(MethodNode method, Json out) {
    List<AbstractInsnNode> kept = new ArrayList<>();
    Map<AbstractInsnNode, Integer> places = new IdentityHashMap<>();
    long line = 0;
    for (AbstractInsnNode each : method.instructions) {
      places.put(each, kept.size());
      if (each.getOpcode() >= 0) {
        kept.add(each);
      } else if (line == 0 && each instanceof LineNumberNode) {
        line = ((LineNumberNode) each).line;
      }
    }
    out.raw("{").field("static", (method.access & Opcodes.ACC_STATIC) != 0).field("line", line);
    out.field("handlers", !method.tryCatchBlocks.isEmpty());
    out.key("code").raw("[");
    for (AbstractInsnNode each : kept) {
      out.next().raw("[").number(each.getOpcode());
      operands(each, places, out);
      out.raw("]");
    }
    out.raw("]}");
  }

  private static void operands(AbstractInsnNode each, Map<AbstractInsnNode, Integer> places, Json out) {
    if (each instanceof IntInsnNode) {
      number(((IntInsnNode) each).operand, out);
    } else if (each instanceof VarInsnNode) {
      number(((VarInsnNode) each).var, out);
    } else if (each instanceof IincInsnNode) {
      number(((IincInsnNode) each).var, out);
    } else if (each instanceof JumpInsnNode) {
      number(places.get(((JumpInsnNode) each).label), out);
    } else if (each instanceof LdcInsnNode) {
      constant(((LdcInsnNode) each).cst, out);
    } else if (each instanceof TypeInsnNode) {
      texts(out, ((TypeInsnNode) each).desc);
    } else if (each instanceof FieldInsnNode) {
      FieldInsnNode field = (FieldInsnNode) each;
      texts(out, field.owner, field.name, field.desc);
    } else if (each instanceof MethodInsnNode) {
      MethodInsnNode called = (MethodInsnNode) each;
      texts(out, called.owner, called.name, called.desc);
    } else if (each instanceof InvokeDynamicInsnNode) {
      InvokeDynamicInsnNode called = (InvokeDynamicInsnNode) each;
      texts(out, called.bsm.getOwner(), called.bsm.getName(), called.desc);
    } else if (each instanceof TableSwitchInsnNode) {
      targets(((TableSwitchInsnNode) each).labels, ((TableSwitchInsnNode) each).dflt, places, out);
    } else if (each instanceof LookupSwitchInsnNode) {
      targets(((LookupSwitchInsnNode) each).labels, ((LookupSwitchInsnNode) each).dflt, places, out);
    } else if (each instanceof MultiANewArrayInsnNode) {
      texts(out, ((MultiANewArrayInsnNode) each).desc);
    }
  }

  private static void targets(
      List<LabelNode> labels, LabelNode other, Map<AbstractInsnNode, Integer> places, Json out) {
    for (LabelNode each : labels) {
      number(places.get(each), out);
    }
    number(places.get(other), out);
  }

  /** A constant: texts and whole numbers, which may name members, and of others how wide they are. */
  private static void constant(Object value, Json out) {
    if (value instanceof String && ((String) value).length() <= MOST_TEXT) {
      texts(out, "text", (String) value);
    } else if (value instanceof Integer) {
      texts(out, "int");
      number((Integer) value, out);
    } else {
      texts(out, value instanceof Long || value instanceof Double ? "wide" : "other");
    }
  }

  private static void number(int value, Json out) {
    out.raw(",").number(value);
  }

  private static void texts(Json out, String... texts) {
    for (String each : texts) {
      out.raw(",").string(each, Json.MAX_TEXT);
    }
  }
}

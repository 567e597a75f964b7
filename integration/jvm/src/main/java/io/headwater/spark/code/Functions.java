package io.headwater.spark.code;

import io.headwater.spark.document.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.xbean.asm9.Opcodes;
import org.apache.xbean.asm9.tree.AbstractInsnNode;
import org.apache.xbean.asm9.tree.ClassNode;
import org.apache.xbean.asm9.tree.FieldInsnNode;
import org.apache.xbean.asm9.tree.FieldNode;
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
 * replace. Each is an array: its number, and what belongs to it; of a field of its class also whether it is final. The
 * brain reads what the function does of that. Of an aggregator these are the methods by which Spark folds rows.
 */
public final class Functions {
  private static final int MOST_METHODS = 40;
  private static final int MOST_INSTRUCTIONS = 3_000;
  private static final int MOST_TEXT = 200;

  /** The fields of the function's class that never change, each behind the class's name. */
  private final Set<String> finals;
  private final Map<AbstractInsnNode, Integer> places = new IdentityHashMap<>();
  private final Json out;

  private Functions(Set<String> finals, Json out) {
    this.finals = finals;
    this.out = out;
  }

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
        if (!body.steps.isEmpty()) {
          out.key("aggregator").raw("{");
          for (Map.Entry<String, MethodNode> each : body.steps.entrySet()) {
            out.field(each.getKey(), key(each.getValue()));
          }
          out.raw("}");
        }
        out.key("methods").raw("{");
        for (Map.Entry<String, MethodNode> each : methods.entrySet()) {
          out.key(each.getKey());
          new Functions(finals(body.type), out).method(each.getValue());
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

  private static Set<String> finals(ClassNode type) {
    Set<String> found = new HashSet<>();
    for (FieldNode each : type.fields) {
      if ((each.access & Opcodes.ACC_FINAL) != 0) {
        found.add(type.name + "." + each.name);
      }
    }
    return found;
  }

  private static Map<String, MethodNode> called(Body body) {
    Map<String, MethodNode> own = new LinkedHashMap<>();
    for (MethodNode each : body.type.methods) {
      own.put(key(each), each);
    }
    Map<String, MethodNode> found = new LinkedHashMap<>();
    ArrayDeque<MethodNode> pending = new ArrayDeque<>();
    pending.add(body.method);
    pending.addAll(body.steps.values());
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
          if (next != null && isCertain(next, body.type)) {
            pending.add(next);
          }
        }
      }
    }
    return found;
  }

  /** Whether no class below can have another method in its place. */
  private static boolean isCertain(MethodNode method, ClassNode type) {
    int fixed = Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE | Opcodes.ACC_FINAL;
    boolean isFixed = (method.access & fixed) != 0 || (type.access & Opcodes.ACC_FINAL) != 0;
    return isFixed && (method.access & (Opcodes.ACC_NATIVE | Opcodes.ACC_ABSTRACT)) == 0;
  }

  private void method(MethodNode method) {
    List<AbstractInsnNode> kept = new ArrayList<>();
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
      operands(each);
      out.raw("]");
    }
    out.raw("]}");
  }

  private void operands(AbstractInsnNode each) {
    if (each instanceof IntInsnNode) {
      number(((IntInsnNode) each).operand);
    } else if (each instanceof VarInsnNode) {
      number(((VarInsnNode) each).var);
    } else if (each instanceof IincInsnNode) {
      number(((IincInsnNode) each).var);
    } else if (each instanceof JumpInsnNode) {
      number(places.get(((JumpInsnNode) each).label));
    } else if (each instanceof LdcInsnNode) {
      constant(((LdcInsnNode) each).cst);
    } else if (each instanceof TypeInsnNode) {
      texts(((TypeInsnNode) each).desc);
    } else if (each instanceof FieldInsnNode) {
      FieldInsnNode field = (FieldInsnNode) each;
      boolean isFinal = finals.contains(field.owner + "." + field.name);
      texts(field.owner, field.name, field.desc, isFinal ? "final" : "");
    } else if (each instanceof MethodInsnNode) {
      MethodInsnNode called = (MethodInsnNode) each;
      texts(called.owner, called.name, called.desc);
    } else if (each instanceof InvokeDynamicInsnNode) {
      InvokeDynamicInsnNode called = (InvokeDynamicInsnNode) each;
      texts(called.bsm.getOwner(), called.bsm.getName(), called.desc);
    } else if (each instanceof TableSwitchInsnNode) {
      targets(((TableSwitchInsnNode) each).labels, ((TableSwitchInsnNode) each).dflt);
    } else if (each instanceof LookupSwitchInsnNode) {
      targets(((LookupSwitchInsnNode) each).labels, ((LookupSwitchInsnNode) each).dflt);
    } else if (each instanceof MultiANewArrayInsnNode) {
      texts(((MultiANewArrayInsnNode) each).desc);
    }
  }

  private void targets(List<LabelNode> labels, LabelNode other) {
    for (LabelNode each : labels) {
      number(places.get(each));
    }
    number(places.get(other));
  }

  /** A constant: texts and whole numbers, which may name members, and of others how wide they are. */
  private void constant(Object value) {
    if (value instanceof String && ((String) value).length() <= MOST_TEXT) {
      texts("text", (String) value);
    } else if (value instanceof Integer) {
      texts("int");
      number((Integer) value);
    } else {
      texts(value instanceof Long || value instanceof Double ? "wide" : "other");
    }
  }

  private void number(int value) {
    out.raw(",").number(value);
  }

  private void texts(String... texts) {
    for (String each : texts) {
      out.raw(",").string(each, Json.MAX_TEXT);
    }
  }
}

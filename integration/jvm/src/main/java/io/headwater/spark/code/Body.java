package io.headwater.spark.code;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.api.java.function.FilterFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.api.java.UDF0;
import org.apache.spark.sql.expressions.Aggregator;
import org.apache.xbean.asm9.ClassReader;
import org.apache.xbean.asm9.Opcodes;
import org.apache.xbean.asm9.tree.ClassNode;
import org.apache.xbean.asm9.tree.MethodNode;

/**
 * The method that a function's object calls, in the class file that it was loaded from. Of a lambda only an instance is
 * there; what it would be serialised to names its method, as Spark itself asks it to check what a function captured.
 */
final class Body {
  private static final int MOST_BYTES = 1 << 20;
  private static final String ADAPTERS = "org/apache/spark/sql/";
  private static final Set<Class<?>> TYPED = new HashSet<>(Arrays.asList(FilterFunction.class, MapFunction.class));
  private static final String[] STEPS = {"zero", "reduce", "merge", "finish"};
  private static final String JAVA_UDF = UDF0.class.getPackage().getName() + ".UDF";

  /** The class that has the method. */
  final ClassNode type;
  final MethodNode method;
  /** How many of the method's first parameters were bound when the function was made. */
  final int captured;
  /** The methods of an aggregator by their names; of any other function none. */
  final Map<String, MethodNode> steps = new LinkedHashMap<>();

  private Body(ClassNode type, MethodNode method, int captured) {
    this.type = type;
    this.method = method;
    this.captured = captured;
  }

  /** The body of the function; null where no class file has it. */
  static Body of(Object function) throws ReflectiveOperationException, IOException {
    Object named = serialised(function);
    return named instanceof SerializedLambda
        ? ofLambda((SerializedLambda) named, function.getClass().getClassLoader())
        : ofObject(function);
  }

  /** What an instance of a lambda says that it stands for; null for any other object. */
  private static Object serialised(Object function) throws ReflectiveOperationException {
    if (!function.getClass().isSynthetic()) {
      return null;
    }
    try {
      Method method = function.getClass().getDeclaredMethod("writeReplace");
      method.setAccessible(true);
      return method.invoke(function);
    } catch (NoSuchMethodException e) {
      return null;
    }
  }

  private static Body ofLambda(SerializedLambda lambda, ClassLoader loader)
      throws ReflectiveOperationException, IOException {
    if (lambda.getImplClass().startsWith(ADAPTERS) && lambda.getCapturedArgCount() == 1) {
      Object adapted = lambda.getCapturedArg(0);
      return "call".equals(method(adapted.getClass())) ? of(adapted) : null;
    }
    ClassNode type = read(lambda.getImplClass(), loader);
    for (MethodNode each : type == null ? new ArrayList<MethodNode>() : type.methods) {
      if (each.name.equals(lambda.getImplMethodName()) && each.desc.equals(lambda.getImplMethodSignature())) {
        boolean isStatic = (each.access & Opcodes.ACC_STATIC) != 0;
        int bound = lambda.getCapturedArgCount() - (isStatic ? 0 : 1);
        // Another method of the argument's own class may be one of a class below it.
        boolean isCertain = isStatic || (each.access & Opcodes.ACC_PRIVATE) != 0 && bound >= 0;
        return isCertain ? new Body(type, each, bound) : null;
      }
    }
    return null;
  }

  /** The name of the method that is called of a function of that class; null where that is not one alone. */
  private static String method(Class<?> type) {
    Set<String> found = new HashSet<>();
    for (Class<?> above = type; above != null; above = above.getSuperclass()) {
      for (Class<?> each : above.getInterfaces()) {
        if (each.getName().startsWith(JAVA_UDF) || TYPED.contains(each)) {
          found.add("call");
        } else if (each.getName().startsWith("scala.Function")) {
          found.add("apply");
        }
      }
    }
    return found.size() == 1 ? found.iterator().next() : null;
  }

  private static Body ofObject(Object function) throws IOException {
    Class<?> owner = function.getClass();
    boolean isAggregator = function instanceof Aggregator;
    String name = isAggregator ? "reduce" : method(owner);
    ClassNode type = name == null ? null : read(owner.getName().replace('.', '/'), owner.getClassLoader());
    MethodNode found = own(type, name);
    if (found == null) {
      return null;
    }
    Body body = new Body(type, found, 0);
    for (String step : isAggregator ? STEPS : new String[0]) {
      MethodNode method = own(type, step);
      if (method == null) {
        return null;
      }
      body.steps.put(step, method);
    }
    return body;
  }

  /** The method of that name that the class itself has, if it has one alone. */
  private static MethodNode own(ClassNode type, String name) {
    List<MethodNode> found = new ArrayList<>();
    for (MethodNode each : type == null ? new ArrayList<MethodNode>() : type.methods) {
      int other = Opcodes.ACC_BRIDGE | Opcodes.ACC_STATIC | Opcodes.ACC_ABSTRACT;
      if (each.name.equals(name) && (each.access & other) == 0) {
        found.add(each);
      }
    }
    return found.size() == 1 ? found.get(0) : null;
  }

  private static ClassNode read(String name, ClassLoader loader) throws IOException {
    ClassLoader from = loader == null ? ClassLoader.getSystemClassLoader() : loader;
    try (InputStream file = from.getResourceAsStream(name + ".class")) {
      if (file == null || file.available() > MOST_BYTES) {
        return null;
      }
      ClassNode type = new ClassNode();
      new ClassReader(file).accept(type, ClassReader.SKIP_FRAMES);
      return type.name.equals(name) ? type : null;
    }
  }
}

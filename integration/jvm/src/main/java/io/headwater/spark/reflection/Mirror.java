package io.headwater.spark.reflection;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import scala.Option;

/**
 * The one place that calls Spark by name. Two reasons to be called by name: the class moved or gained
 * parameters between Spark 3.5 and 4, or its signature names {@code Seq}, which is another class in Scala 2.12
 * than in 2.13. Everything else is called directly.
 */
public final class Mirror {
  private static final Object[] NOTHING = {};
  private static final Method ABSENT = Object.class.getMethods()[0];

  private static final ClassValue<ConcurrentMap<String, Method>> METHODS =
      new ClassValue<ConcurrentMap<String, Method>>() {
        @Override
        protected ConcurrentMap<String, Method> computeValue(Class<?> type) {
          return new ConcurrentHashMap<>();
        }
      };

  private Mirror() {}

  /**
   * The result of the method without parameters, an {@link Option} replaced by its content; null where the object has
   * no such method or no such content. What the method throws is thrown.
   */
  public static Object get(Object target, String name) {
    if (target == null) {
      return null;
    }
    Method method = METHODS.get(target.getClass()).computeIfAbsent(name, key -> find(target.getClass(), key));
    if (method == ABSENT) {
      return null;
    }
    try {
      return content(method.invoke(target, NOTHING));
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      throw new IllegalStateException(name + " of " + target.getClass().getName() + " failed", e);
    }
  }

  /** Whether there is such a method without parameters. */
  public static boolean has(Object target, String name) {
    return METHODS.get(target.getClass()).computeIfAbsent(name, key -> find(target.getClass(), key)) != ABSENT;
  }

  /** {@code get} along a chain of names. */
  public static Object path(Object target, String... names) {
    Object current = target;
    for (String name : names) {
      current = get(current, name);
    }
    return current;
  }

  /** What an object gives along a chain of names; null where it has none of that name, or throws: some may not be asked. */
  public static Object ask(Object target, String... names) {
    try {
      return path(target, names);
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      return null;
    }
  }

  /** What an object keeps for itself under that name; null where it has no such field or does not let it be read. */
  public static Object field(Object target, String name) {
    Class<?> type = target == null ? null : target.getClass();
    for (; type != null; type = type.getSuperclass()) {
      try {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return content(field.get(target));
      } catch (ReflectiveOperationException | RuntimeException e) {
        continue; // it may be of a class above
      }
    }
    return null;
  }

  /**
   * The object itself, if its class has such a name, or what it keeps of such a class: as a function of Spark's keeps
   * what it has captured. Only Spark's own objects and arrays are looked into, {@code depth} levels deep; null where none
   * is found.
   */
  public static Object captured(Object holder, Pattern className, int depth) {
    return captured(holder, (Object each) -> className.matcher(each.getClass().getName()).find(), depth);
  }

  /** The same for any object that {@code isMeant}. */
  public static Object captured(Object holder, Predicate<Object> isMeant, int depth) {
    if (holder == null || isMeant.test(holder)) {
      return holder;
    }
    for (Object each : depth == 0 ? Collections.emptyList() : kept(holder)) {
      Object found = captured(each, isMeant, depth - 1);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** The elements of an array, or what an object of Spark's has in its fields. */
  private static List<Object> kept(Object holder) {
    List<Object> found = new ArrayList<>();
    if (holder instanceof Object[]) {
      Collections.addAll(found, (Object[]) holder);
    } else if (holder.getClass().getName().startsWith("org.apache.spark.")) {
      for (Field field : holder.getClass().getDeclaredFields()) {
        found.add(field(holder, field.getName()));
      }
    }
    return found;
  }

  public static String text(Object target, String... names) {
    Object found = path(target, names);
    return found == null ? null : found.toString();
  }

  /** The elements of a Scala or Java collection or of an array; empty for null and for anything else. */
  public static List<Object> list(Object collection) {
    List<Object> elements = new ArrayList<>();
    if (collection instanceof scala.collection.Iterable) {
      scala.collection.Iterator<?> each = ((scala.collection.Iterable<?>) collection).iterator();
      while (each.hasNext()) {
        elements.add(each.next());
      }
    } else if (collection instanceof Iterable) {
      ((Iterable<?>) collection).forEach(elements::add);
    } else if (collection instanceof Object[]) {
      Collections.addAll(elements, (Object[]) collection);
    }
    return elements;
  }

  public static List<String> texts(Object collection) {
    List<String> texts = new ArrayList<>();
    for (Object element : list(collection)) {
      texts.add(String.valueOf(element));
    }
    return texts;
  }

  /** The value of a key of a Scala or Java map, or null. */
  public static Object lookup(Object map, Object key) {
    if (map instanceof scala.collection.Map) {
      @SuppressWarnings("unchecked")
      scala.collection.Map<Object, Object> scalaMap = (scala.collection.Map<Object, Object>) map;
      return content(scalaMap.get(key));
    }
    return map instanceof java.util.Map ? ((java.util.Map<?, ?>) map).get(key) : null;
  }

  public static Object content(Object value) {
    if (value instanceof Option) {
      Option<?> option = (Option<?>) value;
      return option.isEmpty() ? null : option.get();
    }
    return value;
  }

  /** The running application's context, or null. */
  public static Object activeContext() throws ReflectiveOperationException {
    return get(companion("org.apache.spark.SparkContext", Mirror.class.getClassLoader()), "getActive");
  }

  /** The Scala object of that name. */
  public static Object companion(String name, ClassLoader loader) throws ReflectiveOperationException {
    return Class.forName(name + "$", true, loader).getField("MODULE$").get(null);
  }

  /** "Filter" for {@code org.apache…Filter}, "Inner" for {@code org.apache…Inner$}, "B" for {@code a.A$B}. */
  public static String simpleName(Class<?> type) {
    String name = type.getName();
    int end = name.length();
    while (end > 0 && name.charAt(end - 1) == '$') {
      end--;
    }
    int start = Math.max(name.lastIndexOf('.', end - 1), name.lastIndexOf('$', end - 1)) + 1;
    return name.substring(start, end);
  }

  private static Method find(Class<?> type, String name) {
    try {
      Method method = type.getMethod(name);
      method.setAccessible(true);
      return method;
    } catch (NoSuchMethodException | RuntimeException e) {
      return ABSENT;
    }
  }
}

package io.headwater.spark;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;

/** Each package knows those below it, and no two classes need each other. */
class LayersTest {
  private static final String EYE = "io.headwater.spark";
  private static final JavaClasses CLASSES = classes();

  /** Nested classes belong to the class around them. */
  private static final SliceAssignment BY_CLASS =
      new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass each) {
          JavaClass outermost = each;
          while (outermost.getEnclosingClass().isPresent()) {
            outermost = outermost.getEnclosingClass().get();
          }
          return outermost.getPackageName().startsWith(EYE)
              ? SliceIdentifier.of(outermost.getName())
              : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
          return "classes with those nested in them";
        }
      };

  private static JavaClasses classes() {
    try (JarFile jar = new JarFile(System.getProperty("headwater.test.jar"))) {
      return new ClassFileImporter().importJar(jar);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void packagesUseThoseBelowThemOnly() {
    assertFalse(CLASSES.isEmpty());
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .ensureAllClassesAreContainedInArchitecture()
        .layer("eye").definedBy(EYE)
        .layer("gate").definedBy(EYE + ".gate")
        .layer("run").definedBy(EYE + ".run")
        .layer("delivery").definedBy(EYE + ".delivery")
        .layer("plan").definedBy(EYE + ".plan")
        .layer("data").definedBy(EYE + ".data")
        .layer("code").definedBy(EYE + ".code")
        .layer("reflection").definedBy(EYE + ".reflection")
        .layer("document").definedBy(EYE + ".document")
        .layer("records").definedBy(EYE + ".records")
        .whereLayer("eye").mayNotBeAccessedByAnyLayer()
        .whereLayer("gate").mayOnlyBeAccessedByLayers("eye")
        .whereLayer("run").mayOnlyBeAccessedByLayers("eye", "gate")
        .whereLayer("delivery").mayOnlyBeAccessedByLayers("eye", "gate")
        .whereLayer("plan").mayOnlyBeAccessedByLayers("eye", "gate", "run")
        .whereLayer("data").mayOnlyBeAccessedByLayers("eye", "run", "plan")
        .whereLayer("code").mayOnlyBeAccessedByLayers("plan")
        .whereLayer("document").mayOnlyBeAccessedByLayers("eye", "gate", "run", "delivery", "plan", "data", "code")
        .whereLayer("records").mayNotBeAccessedByAnyLayer()
        .whereLayer("reflection").mayOnlyBeAccessedByLayers("eye", "gate", "run", "plan", "data")
        .check(CLASSES);
  }

  @Test
  void noTwoClassesNeedEachOther() {
    slices().assignedFrom(BY_CLASS).should().beFreeOfCycles().check(CLASSES);
  }
}

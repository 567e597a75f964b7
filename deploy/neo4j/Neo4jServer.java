import java.nio.file.Path;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;

/**
 * A real Neo4j server in one process, without a container engine. Arguments: its home, which holds
 * conf/neo4j.conf, and optionally the id of a process with whose end the server ends too.
 *
 * <p>Prints "ready" once Bolt listens. Stops cleanly on SIGTERM.
 */
public final class Neo4jServer {
  private Neo4jServer() {}

  public static void main(String[] arguments) throws InterruptedException {
    var home = Path.of(arguments[0]);
    var server =
        new DatabaseManagementServiceBuilder(home)
            .loadPropertiesFromFile(home.resolve("conf").resolve("neo4j.conf"))
            .build();
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
    if (arguments.length > 1) {
      endWith(Long.parseLong(arguments[1]));
    }
    System.out.println("ready");
    Thread.currentThread().join();
  }

  private static void endWith(long owner) {
    ProcessHandle.of(owner)
        .ifPresentOrElse(
            process -> process.onExit().thenRun(() -> System.exit(0)), () -> System.exit(0));
  }
}

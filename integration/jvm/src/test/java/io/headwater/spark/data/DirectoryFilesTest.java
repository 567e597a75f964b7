package io.headwater.spark.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryFilesTest {
  @TempDir java.nio.file.Path folder;

  @Test
  void a_directory_is_listed_again_where_files_vanish_meanwhile() throws IOException {
    Files.write(folder.resolve("part-0"), new byte[7]);
    DirectoryFiles found = DirectoryFiles.in(failing(2), new Path(folder.toUri()), 10, false);
    assertEquals("{\"files\":1,\"size\":7}", found.figures());
  }

  @Test
  void a_directory_that_cannot_be_listed_is_not_known() throws IOException {
    FilterFileSystem system = failing(100);
    assertThrows(IOException.class, () -> DirectoryFiles.in(system, new Path(folder.toUri()), 10, false));
  }

  @Test
  void only_files_that_readers_see_count() throws IOException {
    Files.createDirectories(folder.resolve("day=a"));
    Files.createDirectories(folder.resolve("elsewhere"));
    for (String name : new String[] {"_SUCCESS", ".hidden", "seen", "day=a/seen", "elsewhere/not"}) {
      Files.write(folder.resolve(name), new byte[3]);
    }
    DirectoryFiles found = DirectoryFiles.in(failing(0), new Path(folder.toUri()), 10, false);
    assertEquals("{\"files\":2,\"size\":6}", found.figures());
  }

  /** A local file system whose first listings fail. */
  private static FilterFileSystem failing(int times) throws IOException {
    LocalFileSystem local = org.apache.hadoop.fs.FileSystem.getLocal(new Configuration());
    return new FilterFileSystem(local) {
      private int left = times;

      @Override
      public RemoteIterator<FileStatus> listStatusIterator(Path place) throws IOException {
        if (left-- > 0) {
          throw new NoSuchFileException("_temporary");
        }
        return super.listStatusIterator(place);
      }
    };
  }
}

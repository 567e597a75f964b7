// The layout engine in a worker of its own, so that the page never waits for it. Importing it answers messages.
import "elkjs/lib/elk-worker.min.js";

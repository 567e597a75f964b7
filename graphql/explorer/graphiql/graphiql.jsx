import "graphiql/style.css";
import "./graphiql.css";

import { createGraphiQLFetcher } from "@graphiql/toolkit";
import { GraphiQL } from "graphiql";
import { createRoot } from "react-dom/client";

const settings = JSON.parse(document.getElementById("settings").textContent);

globalThis.MonacoEnvironment = {
  getWorker: (_id, label) => new Worker(settings.workers[label] ?? settings.workers.editor),
};

createRoot(document.getElementById("graphiql")).render(
  <GraphiQL fetcher={createGraphiQLFetcher({ url: settings.url })} defaultTabs={settings.tabs}>
    <GraphiQL.Logo>
      <span className="headwater-logo">Headwater</span>
    </GraphiQL.Logo>
  </GraphiQL>,
);

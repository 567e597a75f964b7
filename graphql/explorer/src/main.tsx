import "./styles/explorer.css";

import { QueryClientProvider } from "@tanstack/react-query";
import { ReactFlowProvider } from "@xyflow/react";
import { createRoot } from "react-dom/client";

import { App } from "./app/App";
import { answers } from "./server/useAnswer";

const root = document.getElementById("explorer");
if (root) {
  createRoot(root).render(
    <QueryClientProvider client={answers}>
      <ReactFlowProvider>
        <App />
      </ReactFlowProvider>
    </QueryClientProvider>,
  );
}

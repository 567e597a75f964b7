import "./styles/explorer.css";

import { QueryClientProvider } from "@tanstack/react-query";
import { ReactFlowProvider } from "@xyflow/react";
import { createRoot } from "react-dom/client";

import { App } from "./app/App";
import { answers } from "./server/useAnswer";
import { signInOnArrival } from "./sign_in/arrival";

const root = document.getElementById("explorer");
const arrival = await signInOnArrival();
if (root) {
  createRoot(root).render(
    <QueryClientProvider client={answers}>
      <ReactFlowProvider>
        <App arrival={arrival} />
      </ReactFlowProvider>
    </QueryClientProvider>,
  );
}

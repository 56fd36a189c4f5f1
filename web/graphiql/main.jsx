import { createGraphiQLFetcher } from "@graphiql/toolkit";
import { GraphiQL } from "graphiql";
import "graphiql/graphiql.css";
import "./main.css";
import { createRoot } from "react-dom/client";
import React from "react";

const FIRST = `# Your newest graph, as a tree. Ctrl-Enter runs it.
# Signed in, it works as it is; else give a key under Headers: {"Authorization": "Bearer ag_sk_live_..."}
query NewestGraph {
  graphs(first: 1) {
    nodes {
      id
      title
      asOfEventId
      counts { sessions agents blocked stale byState { working inputRequired failed } }
      roots {
        nodes {
          ...card
          children { nodes { ...card children { nodes { ...card children { nodes { ...card } } } } } }
        }
      }
    }
  }
}

fragment card on Node {
  title
  kind
  state
  headline
  attention
  blocked { nodeCount cycle on { title providerRef } }
}
`;

const plain = createGraphiQLFetcher({ url: "/graphql" });

// Subscriptions come as server-sent events: with the login's cookie, or the key under Headers.
function fetcher(params, options) {
  const operations = options?.documentAST?.definitions.filter((each) => each.kind === "OperationDefinition") ?? [];
  const chosen = operations.find((each) => !params.operationName || each.name?.value === params.operationName);
  if (chosen?.operation !== "subscription") return plain(params, options);
  const control = new AbortController();
  const answers = events(params, options?.headers ?? {}, control.signal);
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => answers.next(),
    return: () => {
      control.abort();
      return answers.return();
    },
  };
}

async function* events(params, headers, signal) {
  const asked = { "Content-Type": "application/json", ...headers, Accept: "text/event-stream" };
  try {
    const answer = await fetch("/graphql", { method: "POST", headers: asked, body: JSON.stringify(params), signal });
    if (!answer.headers.get("Content-Type")?.startsWith("text/event-stream")) {
      yield await answer.json();
      return;
    }
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const lines = text.slice(0, end).split("\n");
        text = text.slice(end + 2);
        const data = lines.find((line) => line.startsWith("data: "));
        if (lines.includes("event: complete")) return;
        if (data) yield JSON.parse(data.slice(6));
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const asked = new URLSearchParams(location.search);
createRoot(document.getElementById("graphiql")).render(
  <GraphiQL
    fetcher={fetcher}
    defaultQuery={FIRST}
    query={asked.get("query") ?? undefined}
    variables={asked.get("variables") ?? undefined}
    shouldPersistHeaders={false}
  />,
);

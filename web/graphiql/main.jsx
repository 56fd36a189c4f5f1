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

const asked = new URLSearchParams(location.search);
createRoot(document.getElementById("graphiql")).render(
  <GraphiQL
    fetcher={createGraphiQLFetcher({ url: "/graphql" })}
    defaultQuery={FIRST}
    query={asked.get("query") ?? undefined}
    variables={asked.get("variables") ?? undefined}
    shouldPersistHeaders={false}
  />,
);

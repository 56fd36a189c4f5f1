// The operations of ../relay.mjs. Their artifacts in __generated__ are what relay-compiler 21 makes of them, see README.md beside.
import { graphql } from "relay-runtime";

export const pages = graphql`
  fragment operationsPages_query on Query
  @refetchable(queryName: "operationsMorePagesQuery")
  @argumentDefinitions(
    graph: { type: "ID!" }
    asOf: { type: "AsOf" }
    first: { type: "Int" }
    after: { type: "String" }
    last: { type: "Int" }
    before: { type: "String" }
  ) {
    graph(id: $graph, asOf: $asOf) {
      asOfEventId
      nodes(first: $first, after: $after, last: $last, before: $before, order: TREE) @connection(key: "Pages_nodes") {
        edges { node { id providerRef asOfEventId } }
      }
    }
  }
`;

export const first = graphql`
  query operationsFirstPageQuery($graph: ID!, $asOf: AsOf, $first: Int, $after: String, $last: Int, $before: String) {
    ...operationsPages_query
      @arguments(graph: $graph, asOf: $asOf, first: $first, after: $after, last: $last, before: $before)
  }
`;

export const tree = graphql`
  query operationsTreeQuery($graph: ID!, $asOf: AsOf) {
    graph(id: $graph, asOf: $asOf) {
      roots(first: 1000) {
        nodes { providerRef state children(first: 1000) { nodes { providerRef state parent { providerRef } children(first: 1000) { nodes { providerRef state } } } } }
      }
    }
  }
`;

export const state = graphql`
  query operationsStateQuery($graph: ID!, $asOf: AsOf, $ref: String!) {
    graph(id: $graph, asOf: $asOf) { asOfEventId node(ref: $ref) { id state lastEvent } }
  }
`;

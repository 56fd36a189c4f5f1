// Operations that Apollo and urql send as they are.
export const TREE = `query Tree($graph: ID!, $asOf: AsOf) {
  graph(id: $graph, asOf: $asOf) {
    key
    roots(first: 1000) { nodes { ...N children(first: 1000) { nodes { ...N parent { ...N } children(first: 1000) { nodes { ...N } } } } } }
  }
}
fragment N on Node { key providerRef state }`;

export const PAGE = `query Page($graph: ID!, $asOf: AsOf, $first: Int, $after: String, $last: Int, $before: String) {
  graph(id: $graph, asOf: $asOf) {
    key
    nodes(first: $first, after: $after, last: $last, before: $before, order: TREE) {
      edges { cursor node { key providerRef } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
}`;

export const STATE = `query State($graph: ID!, $asOf: AsOf, $ref: String!) {
  graph(id: $graph, asOf: $asOf) { id key node(ref: $ref) { id key state } }
}`;

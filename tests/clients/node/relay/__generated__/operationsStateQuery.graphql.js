/**
 * @generated SignedSource<<12f6f480aa1ab28d56be7782877c5fd7>>
 * @lightSyntaxTransform
 */

/* eslint-disable */

'use strict';

var node = (function(){
var v0 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "asOf"
},
v1 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "graph"
},
v2 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "ref"
},
v3 = [
  {
    "kind": "Variable",
    "name": "asOf",
    "variableName": "asOf"
  },
  {
    "kind": "Variable",
    "name": "id",
    "variableName": "graph"
  }
],
v4 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "asOfEventId",
  "storageKey": null
},
v5 = [
  {
    "kind": "Variable",
    "name": "ref",
    "variableName": "ref"
  }
],
v6 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v7 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "state",
  "storageKey": null
},
v8 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "lastEvent",
  "storageKey": null
},
v9 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "key",
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": [
      (v0/*:: as any*/),
      (v1/*:: as any*/),
      (v2/*:: as any*/)
    ],
    "kind": "Fragment",
    "metadata": null,
    "name": "operationsStateQuery",
    "selections": [
      {
        "alias": null,
        "args": (v3/*:: as any*/),
        "concreteType": "Graph",
        "kind": "LinkedField",
        "name": "graph",
        "plural": false,
        "selections": [
          (v4/*:: as any*/),
          {
            "alias": null,
            "args": (v5/*:: as any*/),
            "concreteType": "Node",
            "kind": "LinkedField",
            "name": "node",
            "plural": false,
            "selections": [
              (v6/*:: as any*/),
              (v7/*:: as any*/),
              (v8/*:: as any*/)
            ],
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [
      (v1/*:: as any*/),
      (v0/*:: as any*/),
      (v2/*:: as any*/)
    ],
    "kind": "Operation",
    "name": "operationsStateQuery",
    "selections": [
      {
        "alias": null,
        "args": (v3/*:: as any*/),
        "concreteType": "Graph",
        "kind": "LinkedField",
        "name": "graph",
        "plural": false,
        "selections": [
          (v4/*:: as any*/),
          {
            "alias": null,
            "args": (v5/*:: as any*/),
            "concreteType": "Node",
            "kind": "LinkedField",
            "name": "node",
            "plural": false,
            "selections": [
              (v6/*:: as any*/),
              (v7/*:: as any*/),
              (v8/*:: as any*/),
              (v9/*:: as any*/)
            ],
            "storageKey": null
          },
          (v9/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "cacheID": "1637697a4659f61faaa57f3a22d67e8e",
    "id": null,
    "metadata": {},
    "name": "operationsStateQuery",
    "operationKind": "query",
    "text": "query operationsStateQuery(\n  $graph: ID!\n  $asOf: AsOf\n  $ref: String!\n) {\n  graph(id: $graph, asOf: $asOf) {\n    asOfEventId\n    node(ref: $ref) {\n      id\n      state\n      lastEvent\n      key\n    }\n    key\n  }\n}\n"
  }
};
})();

node.hash = "bc7a5707cf45364ad48b0e41fd036e19";

module.exports = node;

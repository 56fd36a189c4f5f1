"""Generated operations: valid documents over everything under `graph`, with aliases, fragments, directives, variables and arguments."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from random import Random
from typing import Any

from graphql import GraphQLObjectType, GraphQLSchema, get_named_type, is_leaf_type

LEAVES = 6
DEEPEST = 5
VARIABLES = {
    "g": "ID!", "a": "AsOf", "yes": "Boolean!", "no": "Boolean = false", "n": "Int", "o": "NodeOrder", "f": "NodeFilter",
    "state": "[NodeState!]",
}  # fmt: skip
APART = {"event", "at", "before", "after", "difference", "rho", "rhoExport"}
"""Fields that need an argument of their own, which these operations do not give, or lead to Rho graphs."""
ONLY_AT = {"events": DEEPEST, "timeline": DEEPEST, "history": DEEPEST - 1}
"""Fields that are asked for at one level alone: under the graph, or under a lone node. They are read for each graph or node by itself."""
FILTERS = (
    "{}", "{kind: AGENT}", "{kind: SESSION, stale: false}", "{state: $state}", "{blocked: true}", "{isRoot: false}",
    "{underFinishedParent: true}", "{created: {gt: 0}}", '{search: "depth>=2 OR state:\\"working\\""}', '{search: "broken"}',
    '{parentId: "node_"}', "{maxDepth: 2}",
)  # fmt: skip


@dataclass
class Operation:
    """A document and its variables."""

    query: str
    variables: dict[str, Any]


@dataclass
class Writer:
    """Writes one operation."""

    schema: GraphQLSchema
    random: Random
    refs: list[str]
    ids: list[str]
    fragments: list[str] = field(default_factory=list)
    names: int = 0

    def operation(self) -> Operation:
        """One operation, at the graph's newest moment or an earlier one."""
        body = self.selection("Graph", DEEPEST)
        text = f"{{ graph(id: $g, asOf: $a) {body} }}\n" + "\n".join(self.fragments)
        used = [f"${name}: {kind}" for name, kind in VARIABLES.items() if re.search(rf"\${name}\b", text)]
        query = f"query Generated({', '.join(used)}) {text}"
        variables = {
            "yes": self.random.random() < 0.5,
            "n": self.random.choice([0, 1, 2, 5, -1, 1_001]),
            "o": self.random.choice([None, "TREE", "NEWEST", "ACTIVITY"]),
            "f": self.random.choice([None, {}, {"kind": "AGENT"}, {"ancestorId": self.random.choice(self.ids), "maxDepth": 2}]),
            "state": self.random.choice([None, [], ["WORKING"], ["IDLE", "FAILED", "COMPLETED"]]),
        }
        return Operation(query, {name: value for name, value in variables.items() if value is not None or self.random.random() < 0.5})

    def selection(self, type_name: str, levels: int) -> str:
        """A selection set of a type."""
        kind = self.schema.type_map[type_name]
        assert isinstance(kind, GraphQLObjectType)
        names = [name for name in kind.fields if name not in APART and ONLY_AT.get(name, levels) == levels]
        leaves = [name for name in names if is_leaf_type(get_named_type(kind.fields[name].type))]
        others = [name for name in names if name not in leaves] if levels else []
        chosen = self.random.sample(leaves, min(len(leaves), self.random.randint(0, LEAVES)))
        chosen += self.random.sample(others, min(len(others), self.random.randint(1, 3)))
        parts = [self.member(kind, name, levels) for name in chosen]
        if not parts or self.random.random() < 0.3:
            parts.append(self.random.choice(["__typename", "kind_: __typename"]))
        if levels and self.random.random() < 0.2:
            parts.append(f"... on {type_name}{self.directive()} {self.selection(type_name, 0)}")
        if levels and self.random.random() < 0.15:
            name = self.new("F")
            self.fragments.append(f"fragment {name} on {type_name} {self.selection(type_name, levels - 1)}")
            parts.append(f"...{name}{self.directive()}")
        self.random.shuffle(parts)
        return "{ " + " ".join(parts) + " }"

    def member(self, kind: GraphQLObjectType, name: str, levels: int) -> str:
        """One field, under a name of its own wherever two could differ."""
        definition = kind.fields[name]
        inner = get_named_type(definition.type)
        leaf = is_leaf_type(inner)
        alias = "" if leaf and self.random.random() < 0.8 else f"{self.new('x')}: "
        below = "" if leaf else " " + self.selection(inner.name, levels - 1)
        return f"{alias}{name}{self.arguments(kind.name, name, definition.args)}{self.directive()}{below}"

    def arguments(self, owner: str, name: str, known: dict[str, Any]) -> str:
        """Arguments for a field, sometimes ones that are refused."""
        if (owner, name) == ("Graph", "node"):
            return f'(ref: "{self.random.choice([*self.refs, "acme:nobody"])}")'
        given = []
        if name == "events":
            given.append(f"{self.random.choice(['first', 'last'])}: {self.random.choice(['0', '3', '$n', '-1'])}")
        elif "first" in known and self.random.random() < 0.6:
            given.append(f"{self.random.choice(['first', 'last'])}: {self.random.choice(['0', '1', '2', '3', '50', '$n', 'null', '1000'])}")
        if "maxDepth" in known and self.random.random() < 0.5:
            given.append(f"maxDepth: {self.random.choice(['1', '2', '3', '9', '$n', '0'])}")
        if "order" in known and self.random.random() < 0.4:
            orders = ["DESC", "ASC"] if name in ("events", "history") else ["TREE", "NEWEST", "ACTIVITY", "$o"]
            given.append(f"order: {self.random.choice(orders)}")
        if "filter" in known and name not in ("events", "graphs") and self.random.random() < 0.3:
            given.append(f"filter: {self.random.choice([*FILTERS, '$f', self.id_filter()])}")
        return f"({', '.join(given)})" if given else ""

    def id_filter(self) -> str:
        """A filter that names a node."""
        member = self.random.choice(["ancestorId", "parentId", "rootId", "sessionId"])
        return f'{{{member}: "{self.random.choice(self.ids)}"}}'

    def directive(self) -> str:
        """Now and then a directive."""
        return self.random.choice([" @skip(if: $yes)", " @include(if: $yes)", " @include(if: $no)"]) if self.random.random() < 0.08 else ""

    def new(self, prefix: str) -> str:
        """A name that is not used yet."""
        self.names += 1
        return f"{prefix}{self.names}"

"""Documents: parsed, checked and validated once, and kept with what was compiled for them."""

from __future__ import annotations

from typing import Any

from cachetools import LRUCache
from graphql import (
    DocumentNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLSchema,
    NoSchemaIntrospectionCustomRule,
    OperationDefinitionNode,
    parse,
)
from graphql import validate as validate_document
from graphql.validation import specified_rules
from strawberry.schema.validation_rules.maybe_null import MaybeNullValidationRule
from strawberry.schema.validation_rules.one_of import OneOfInputValidationRule

from app.domain.problems import Problem
from app.graphql.errors import error_body, problem_body, request_errors
from app.graphql.introspection import check_introspection
from app.graphql.limits import Limits, TooDeep, check_document, check_text
from app.graphql.needs import Lookahead
from app.graphql.projection.projections import Projections
from app.graphql.rho.limits import check_rho_depth

KEPT = 1_000
LONGEST_KEPT = 20_000
"""Documents of more characters are not kept: memory is for those that come again."""

MOST_ERRORS = 5
"""So many of a document's faults are told."""


class Refused(Exception):  # noqa: N818 - an answer, not a fault of ours
    """A document that is not run; `errors` is the answer's."""

    def __init__(self, errors: list[dict[str, Any]]) -> None:
        super().__init__()
        self.errors = errors


class Document:
    """A valid document and what has been compiled for it."""

    def __init__(self, schema: GraphQLSchema, ast: DocumentNode) -> None:
        self.schema = schema
        self.ast = ast
        self.fragments = {each.name.value: each for each in ast.definitions if isinstance(each, FragmentDefinitionNode)}
        self.operations = [each for each in ast.definitions if isinstance(each, OperationDefinitionNode)]
        self.lookahead = Lookahead(schema, self.fragments)
        self.projections = Projections()

    def operation(self, name: str | None) -> OperationDefinitionNode | None:
        """The operation of that name; without a name the only one. None if there is none, or more than one to choose from."""
        found = [each for each in self.operations if name is None or (each.name is not None and each.name.value == name)]
        return found[0] if len(found) == 1 else None


class Documents:
    """The documents of one schema, the most used ones kept."""

    def __init__(self, schema: GraphQLSchema, limits: Limits, *, introspection: bool = True) -> None:
        self._schema = schema
        self._limits = limits
        rules = [*specified_rules, MaybeNullValidationRule, OneOfInputValidationRule]
        self._rules = rules if introspection else [*rules, NoSchemaIntrospectionCustomRule]
        self._kept: LRUCache[str, Document | Refused] = LRUCache(KEPT)

    def get(self, text: str) -> Document:
        """The document, ready to be run. Raises: Refused."""
        found = self._kept.get(text)
        if found is None:
            try:
                found = self._prepared(text)
            except Refused as refused:
                found = refused
            if len(text) <= LONGEST_KEPT:
                self._kept[text] = found
        if isinstance(found, Refused):
            raise Refused(found.errors)
        return found

    def _prepared(self, text: str) -> Document:
        try:
            check_text(text, self._limits)
            ast = parse(text)
            check_document(ast, self._limits)
            faults = validate_document(self._schema, ast, self._rules, max_errors=MOST_ERRORS)
        except Problem as problem:
            raise Refused([problem_body(problem)]) from None
        except GraphQLError as error:
            raise Refused(request_errors([error], "GRAPHQL_PARSE_FAILED")) from None
        except RecursionError:
            raise Refused([problem_body(TooDeep("The document is nested too deeply."))]) from None
        if faults:
            raise Refused(request_errors(faults[:MOST_ERRORS], "GRAPHQL_VALIDATION_FAILED"))
        try:
            check_rho_depth(ast, self._schema)
            check_introspection(ast, self._schema)
        except Problem as problem:
            raise Refused([problem_body(problem)]) from None
        return Document(self._schema, ast)


def no_operation(name: str | None) -> Refused:
    """The answer where it cannot be told which operation to run."""
    text = "The document has no operation of that name."
    if name is None:
        text = "Say which operation to run: the document has several, or none."
    return Refused([error_body("BAD_USER_INPUT", text)])

"""Q44: the served schema has all that the contract has, with the same types, nullability and defaults."""

from pathlib import Path

from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLNamedType,
    GraphQLObjectType,
    build_schema,
    print_ast,
    print_schema,
)

from app.graphql.schema import schema, sdl

ROOT = Path(__file__).parents[2]
CONTRACT = build_schema((Path(__file__).parent / "data/contract.graphql").read_text())
RHO = build_schema((Path(__file__).parent / "data/rho.graphql").read_text())


def default(member: GraphQLArgument | GraphQLInputField) -> str:
    """The default value as it is written; nothing without one."""
    return "" if member.default is None or member.default.literal is None else print_ast(member.default.literal)


def members(kind: GraphQLNamedType) -> dict[str, str]:
    """Everything that can be said of a type's members, each by its path."""
    found = {}
    if isinstance(kind, GraphQLEnumType):
        return {f"{kind.name}.{name}": "value" for name in kind.values}
    if isinstance(kind, GraphQLInputObjectType):
        return {f"{kind.name}.{name}": f"{field.type} {default(field)}" for name, field in kind.fields.items()} | {
            f"{kind.name}(oneOf)": str(kind.is_one_of)
        }
    if isinstance(kind, GraphQLObjectType):
        for name, field in kind.fields.items():
            found[f"{kind.name}.{name}"] = str(field.type)
            found |= {f"{kind.name}.{name}({key})": f"{arg.type} {default(arg)}" for key, arg in field.args.items()}
    return found


def test_everything_of_the_contract_is_served() -> None:
    """Q44: nothing is missing, renamed, or of another type."""
    served = build_schema(sdl()).type_map
    for name, kind in CONTRACT.type_map.items():
        if name.startswith("__"):
            continue
        assert name in served, name
        ours = members(served[name])
        for path, said in members(kind).items():
            assert ours.get(path) == said, path


def test_everything_of_the_rho_contract_is_served() -> None:
    """M13, Q49."""
    served = build_schema(sdl()).type_map
    for name, kind in RHO.type_map.items():
        if not name.startswith("__"):
            ours = members(served[name])
            for path, said in members(kind).items():
                assert ours.get(path) == said, path


def test_every_type_field_and_argument_is_described() -> None:
    """A person in GraphiQL understands what they see."""
    bare = []
    for name, kind in schema()._schema.type_map.items():
        if name.startswith("__") or name in ("ID", "Int", "String", "Boolean", "Float"):
            continue
        if not kind.description:
            bare.append(name)
        for key, member in (getattr(kind, "fields", None) or getattr(kind, "values", None) or {}).items():
            if not member.description:
                bare.append(f"{name}.{key}")
            bare += [f"{name}.{key}({arg})" for arg, each in (getattr(member, "args", None) or {}).items() if not each.description]
    assert not bare


def test_the_printed_schema_is_the_committed_one() -> None:
    """Q44: schema.graphql is printed from the code."""
    assert (ROOT / "schema.graphql").read_text() == sdl()
    assert print_schema(build_schema(sdl()))

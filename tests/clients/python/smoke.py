"""A client that openapi-python-client made of `openapi.json`: gets the facts on standard input, and complains where it differs."""

import json
import sys
from urllib.request import Request, urlopen

from gateway_client import AuthenticatedClient
from gateway_client.api.events import list_events, retrieve_event
from gateway_client.api.graphs import list_graphs, retrieve_graph
from gateway_client.api.nodes import list_nodes, retrieve_node, search_nodes
from gateway_client.models import Error, ListEventsOrder, ListNodesOrder, ListNodesStateItem
from gateway_client.types import UNSET

facts = json.load(sys.stdin)
graph, late, changed = facts["graph"], facts["late"], facts["changed"]


def client_of(url, key=facts["key"]):
    return AuthenticatedClient(base_url=f"{url}/api/v1", token=key)


client = client_of(facts["url"])


def graphs():
    listed = list_graphs.sync(client=client)
    assert graph in [each.id for each in listed.data]
    one = retrieve_graph.sync(graph, client=client, as_of=late["event"])
    assert one.counts.nodes == len(late["refs"])


def pages_forward():
    refs, after = [], UNSET
    while True:
        page = list_nodes.sync(graph, client=client, as_of=late["event"], order=ListNodesOrder.TREE, limit=7, starting_after=after)
        refs += [node.provider_ref for node in page.data]
        if not page.has_more:
            break
        after = page.data[-1].id
    assert refs == late["refs"]


def pages_backward():
    last = list_nodes.sync(graph, client=client, as_of=late["event"], order=ListNodesOrder.TREE, limit=1000).data[-1]
    refs, before = [last.provider_ref], last.id
    while True:
        page = list_nodes.sync(graph, client=client, as_of=late["event"], order=ListNodesOrder.TREE, limit=7, ending_before=before)
        refs = [node.provider_ref for node in page.data] + refs
        if not page.has_more:
            break
        before = page.data[0].id
    assert refs == late["refs"]


def searches():
    refs, page = [], UNSET
    while True:
        found = search_nodes.sync(graph, client=client, query='state:"working" OR state:"idle"', limit=3, page=page)
        refs += [node.provider_ref for node in found.data]
        if not found.has_more:
            break
        page = found.next_page
    states = [ListNodesStateItem.WORKING, ListNodesStateItem.IDLE]
    listed = list_nodes.sync(graph, client=client, state=states, limit=1000)
    assert len(refs) == found.total_count > 3
    assert sorted(refs) == sorted(node.provider_ref for node in listed.data)


def expands():
    listed = list_nodes.sync(graph, client=client, limit=1000, expand=["data.parent", "data.tasks", "data.blocked.on", "data.messages"])
    by_id = {node.id: node for node in listed.data}
    assert any(node.parent_id for node in listed.data)
    for node in listed.data:
        assert (node.parent is UNSET) == (node.parent_id is None)
        assert node.parent is UNSET or node.parent.provider_ref == by_id[node.parent_id].provider_ref
        assert len(node.tasks) == node.task_counts.total
    root = next(node for node in listed.data if node.depth == 0 and node.descendant_count > 1)
    whole = retrieve_node.sync(graph, root.id, client=client, expand=["children", "descendants"])
    assert len(whole.children.data) == root.child_count
    assert len(whole.descendants.data) == root.descendant_count


def follows():
    followed = facts["followed"]
    seen, after = [], UNSET

    def catch_up():
        nonlocal after
        while True:
            order = ListEventsOrder.ASC
            page = list_events.sync(followed["graph"], client=client, order=order, limit=30, starting_after=after, expand=["data.node"])
            seen.extend(event.id for event in page.data)
            after = page.data[-1].id if page.data else after
            if not page.has_more:
                return

    catch_up()
    assert seen == followed["ids"][: len(seen)]
    assert len(seen) < len(followed["ids"])
    query = "mutation($g: ID!, $e: [JSON!]!) { appendEvents(graphId: $g, events: $e) { accepted } }"
    body = json.dumps({"query": query, "variables": {"g": followed["graph"], "e": followed["later"]}}).encode()
    headers = {"Authorization": f"Bearer {facts['key']}", "Content-Type": "application/json"}
    urlopen(Request(f"{facts['url']}/graphql", body, headers)).read()
    catch_up()
    assert seen == followed["ids"]
    event = retrieve_event.sync(followed["graph"], seen[-1], client=client, expand=["node"])
    assert event.id == seen[-1]


def not_modified():
    first = list_nodes.sync_detailed(graph, client=client, limit=5)
    again = list_nodes.sync_detailed(graph, client=client, limit=5, if_none_match=first.headers["etag"])
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


def gone():
    answer = retrieve_graph.sync_detailed(facts["trimmed"]["graph"], client=client, as_of=facts["trimmed"]["event"])
    assert answer.status_code == 410
    assert isinstance(answer.parsed, Error)
    assert answer.parsed.error.code == "outside_retention_window"
    assert answer.parsed.error.first_event_id > facts["trimmed"]["event"]


def limited():
    hurried = client_of(facts["limited_url"], facts["limited_key"])
    answers = [list_graphs.sync_detailed(client=hurried) for _ in range(facts["burst"] + 1)]
    assert [answer.status_code for answer in answers] == [200] * facts["burst"] + [429]
    assert answers[-1].parsed.error.code == "rate_limit"
    assert int(answers[-1].headers["retry-after"]) >= 1


for step in (graphs, pages_forward, pages_backward, searches, expands, follows, not_modified, gone, limited):
    step()
    print(step.__name__)

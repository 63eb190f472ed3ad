"""Heavy checks of several peers at once: none is lost, whatever order they end in."""

from __future__ import annotations

from kontor_games.engine.core.chance import Deal, Mix
from kontor_games.net.wire.chain import encode
from tests.worlds.ring import Mesh

CARDS = 20


def test_jobs_are_handed_out_one_by_one_and_may_end_in_any_order() -> None:
    mesh = Mesh(
        3, (Mix(1, tuple(range(CARDS)), (), tuple(range(CARDS))), Deal(2, tuple((s, None) for s in range(CARDS))))
    )
    mesh.to(1)
    node = mesh.nodes[0]
    for p in (1, 2):
        (duty,) = mesh.nodes[p].duties()
        assert duty.heavy
        message = duty.make()
        assert node.entries.receive(message, encode(message)) == []
    first = next(iter(node.entries.jobs()))
    second = next(iter(node.entries.jobs()))
    assert list(node.entries.jobs()) == [] and {first.signed.peer, second.signed.peer} == {1, 2}
    for job in (second, first):
        assert node.entries.finished(job, job.run()) == []
    assert node.table.task is not None and len(node.table.task.got) == 2


def test_a_job_that_ends_after_its_situation_is_over_changes_nothing() -> None:
    mesh = Mesh(4, (Mix(1, tuple(range(6)), (), tuple(range(6))),)).to(0)
    (duty,) = mesh.nodes[0].duties()
    raw = encode(duty.make())
    node = mesh.nodes[2]
    node.entries.receive(duty.make(), raw)
    (job,) = node.entries.jobs()
    outcome = job.run()
    mesh.go_on_without(0)
    assert node.entries.finished(job, outcome) == []
    mesh.run().agree()


def test_after_its_goodbye_a_node_owes_nothing_and_nobody_waits_for_its_word() -> None:
    mesh = Mesh(4, (Mix(1, (1, 2), (), (0, 1)), 0, Deal(2, ((0, None),)), None))
    for node in mesh.nodes:
        node.holds_frames = True
    mesh.to(1)
    leaver = mesh.nodes[2]
    assert leaver.player is not None
    mesh.post(2, leaver.entries.goodbyes.leave(leaver.player))
    mesh.quiet()
    assert all(node.entries.goodbyes.leaving == {2} for node in mesh.nodes)
    for node in mesh.nodes:
        node.holds_frames = False
    mesh.run()
    mesh.kill(2)
    mesh.agree()
    assert mesh.nodes[0].table.active == (0, 1, 3) and mesh.kinds()[-1] == "open"

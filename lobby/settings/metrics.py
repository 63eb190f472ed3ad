"""What the lobby counts; served in Prometheus' format on a loopback port of its own."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter as Numbers
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric

from kontor_games.net.system.version import version
from kontor_games.net.wire.lobby_messages import LOBBY_VERSIONS

BUCKETS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5)  # seconds


class CommandMetrics:
    """Requests and how long they took; counted plainly, because every request comes through here."""

    def __init__(self) -> None:
        self._outcomes: Numbers[tuple[str, str]] = Numbers()
        self._times = [0] * (len(BUCKETS) + 1)
        self._seconds = 0.0

    def note(self, command: str, outcome: str, seconds: float) -> None:
        """One more has been answered."""
        self._outcomes[command, outcome] += 1
        self._times[bisect_left(BUCKETS, seconds)] += 1
        self._seconds += seconds

    def collect(self) -> Iterator[Metric]:
        """What Prometheus is told when it asks."""
        outcomes = CounterMetricFamily(
            "kontor_lobby_commands", "Requests by kind and outcome", labels=["command", "outcome"]
        )
        for labels, number in self._outcomes.items():
            outcomes.add_metric(labels, number)
        yield outcomes
        bounds = [*map(str, map(float, BUCKETS)), "+Inf"]
        sums = list(zip(bounds, accumulate(self._times), strict=True))
        yield HistogramMetricFamily(
            "kontor_lobby_command_seconds", "From a request's last byte to its answer", sums, self._seconds
        )


class LadderMetrics:
    """What becomes of match files that are handed in."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.handed = Counter(
            "kontor_lobby_ladder_handed", "Match files handed in, by outcome", ["outcome"], registry=registry
        )
        self.judged = Counter(
            "kontor_lobby_ladder_judged", "Match files judged, by state", ["state"], registry=registry
        )
        self.queue = Gauge(
            "kontor_lobby_ladder_queue", "Match files that wait; told by whoever keeps the ladder", registry=registry
        )
        self.stuck = Gauge("kontor_lobby_ladder_stuck", "Whether a defect stopped the ladder", registry=registry)


class Metrics:
    """All counters of one lobby process; nothing here names a person or an address."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
        for collector in (ProcessCollector, PlatformCollector, GCCollector):  # process_…, python_info, python_gc_…
            collector(registry=registry)
        build = Gauge("kontor_lobby_build_info", "What runs here", ["version", "protocol"], registry=registry)
        build.labels(version(), str(LOBBY_VERSIONS[-1])).set(1)
        self.reloads = Counter(
            "kontor_lobby_reloads",
            "Readings of changed settings, by outcome",
            ["outcome"],
            registry=registry,
        )
        self.turned_away = Counter(
            "kontor_lobby_turned_away", "Connections and sign-ins refused, by reason", ["reason"], registry=registry
        )
        self.cut = Counter(
            "kontor_lobby_cut", "Connections ended by the lobby, by reason", ["reason"], registry=registry
        )
        self.signed_in = Counter("kontor_lobby_sign_ins", "Successful sign-ins", registry=registry)
        self.connections = Gauge("kontor_lobby_connections", "Open connections", registry=registry)
        self.people = Gauge("kontor_lobby_people", "People signed in here", registry=registry)
        self.tables = Gauge("kontor_lobby_tables", "Tables in the store", registry=registry)
        self.queue = Gauge("kontor_lobby_queue", "People waiting for a match", registry=registry)
        self.commands = CommandMetrics()
        registry.register(self.commands)
        self.throttled = Counter(
            "kontor_lobby_throttled",
            "Times that reading from somebody paused, by reason",
            ["reason"],
            registry=registry,
        )
        self.hall_news = Counter("kontor_lobby_hall_news", "HallNews frames sent", registry=registry)
        self.dropped = Counter("kontor_lobby_dropped", "Events not passed on, by reason", ["reason"], registry=registry)
        self.matches = Counter("kontor_lobby_offers", "Offers made by the queue", registry=registry)
        self.sweeps = Counter(
            "kontor_lobby_expired", "Records whose time was over, by kind", ["kind"], registry=registry
        )
        self.relay_pairs = Gauge("kontor_lobby_relay_pairs", "Pairs connected through the relay", registry=registry)
        self.relay_passes = Gauge(
            "kontor_lobby_relay_passes", "Relay passes handed out that wait for both sides", registry=registry
        )
        self.relay_joined = Counter("kontor_lobby_relay_joined", "Pairs that the relay connected", registry=registry)
        self.relay_waiting = Gauge(
            "kontor_lobby_relay_waiting", "Ends of pairs that wait for bandwidth", registry=registry
        )
        self.relay_bytes = Counter("kontor_lobby_relay_bytes", "Bytes carried by the relay", registry=registry)
        self.relay_refused = Counter(
            "kontor_lobby_relay_refused", "Relay connections refused or ended, by reason", ["reason"], registry=registry
        )
        self.punches = Counter(
            "kontor_lobby_punches",
            "Holes that members asked for, by outcome",
            ["outcome"],
            registry=registry,
        )
        self.ladder = LadderMetrics(registry)
        self.sanctions = Counter("kontor_lobby_sanctions", "Operator actions, by kind", ["kind"], registry=registry)

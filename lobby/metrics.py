"""What the lobby counts; served in Prometheus' format on a loopback port of its own."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram


class Metrics:
    """All counters of one lobby process; nothing here names a person or an address."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
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
        self.commands = Counter(
            "kontor_lobby_commands", "Requests by kind and outcome", ["command", "outcome"], registry=registry
        )
        self.command_seconds = Histogram(
            "kontor_lobby_command_seconds",
            "From a request's last byte to its answer",
            registry=registry,
            buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5),
        )
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
        self.relay_bytes = Counter("kontor_lobby_relay_bytes", "Bytes carried by the relay", registry=registry)
        self.relay_refused = Counter(
            "kontor_lobby_relay_refused", "Relay connections refused or ended, by reason", ["reason"], registry=registry
        )
        self.sanctions = Counter("kontor_lobby_sanctions", "Operator actions, by kind", ["kind"], registry=registry)

"""Who looks at whose tables: nodes that see ours hear of changes, and those we asked are asked again if need be."""

from __future__ import annotations

from collections.abc import Callable

from kontor_games.net.links.mesh import Mesh
from kontor_games.net.table.keeper import for_older
from kontor_games.net.wire.messages import Look, Offers, TableView

from .node_matches import is_able

MAX_OFFERS = 8  # tables that are shown to a node that looks
Views = tuple[TableView, ...]


class Lookers:
    """Nodes that look at each other's tables without being at one."""

    def __init__(self, mesh: Mesh, offered: Callable[[], Views]) -> None:
        self.asked: set[bytes] = set()  # nodes that owe us their tables: asked again over a new link
        self._mesh = mesh
        self._offered = offered
        self._shown: dict[bytes, Views] = {}  # what nodes that looked at our tables saw last

    def look(self, keeper: bytes) -> None:
        """Ask another node that was met which tables it keeps."""
        self.asked.add(keeper)
        self._mesh.send(keeper, Look())

    def look_again(self, peer: bytes, is_known: bool) -> None:
        """A new link: look at the tables of a node we know nothing of, or that has not answered yet."""
        if not is_known or peer in self.asked:
            self._mesh.send(peer, Look())

    def show_to(self, peer: bytes) -> None:
        """A node looks at our tables; an older one sees those where it could sit, and is told there to update."""
        views = self._offered()[:MAX_OFFERS]
        self._shown[peer] = views
        if not is_able(self._mesh, peer):
            views = tuple(for_older(view) for view in views if view.phase == "open")
        self._mesh.send(peer, Offers(views))

    def show_again(self) -> None:
        """Whoever has looked at our tables hears of it when they change or end, as long as the link lasts."""
        linked = self._mesh.linked
        self._shown = {peer: views for peer, views in self._shown.items() if peer in linked}
        if self._shown:
            now = self._offered()[:MAX_OFFERS]
            for peer in [peer for peer, views in self._shown.items() if views != now]:
                self.show_to(peer)

"""A router that speaks UPnP on loopback, honest or not: searches by UDP, its description and orders by HTTP."""

from __future__ import annotations

import re
import socket
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SERVICE = "urn:schemas-upnp-org:service:WANIPConnection:1"
DEVICE = "urn:schemas-upnp-org:device"
DESCRIPTION = """<?xml version="1.0"?>
<root xmlns="urn:schemas-upnp-org:device-1-0"><specVersion><major>1</major><minor>0</minor></specVersion>
<device><deviceType>{device}:InternetGatewayDevice:1</deviceType><friendlyName>fake</friendlyName><deviceList>
<device><deviceType>{device}:WANDevice:1</deviceType><deviceList>
<device><deviceType>{device}:WANConnectionDevice:1</deviceType><serviceList>
<service><serviceType>{service}</serviceType><serviceId>urn:upnp-org:serviceId:WANIPConn1</serviceId>
<SCPDURL>/scpd.xml</SCPDURL><controlURL>{orders}</controlURL><eventSubURL>/events</eventSubURL></service>
</serviceList></device></deviceList></device></deviceList></device></root>"""
SOAP = (
    '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" '
    's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>{body}</s:Body></s:Envelope>'
)
FAULT = (
    "<s:IgdFault><faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring><detail>"
    '<UPnPError xmlns="urn:schemas-upnp-org:control-1-0"><errorCode>{code}</errorCode>'
    "<errorDescription>{text}</errorDescription></UPnPError></detail></s:IgdFault>"
)


class IgdFault(Exception):
    """An error of UPnP, by number."""


@dataclass
class FakeIgd:
    """What it does is set by the fields; what it was asked is in `orders`."""

    outside: str = "5.6.7.8"
    refuses: int = 0  # the number of an error, for every port
    taken: set[int] = field(default_factory=set)
    only_permanent: bool = False
    forgets: bool = False  # says that it maps, and does not
    sends_to: str = ""  # where its description sends those who have orders
    answers_from: str = "127.0.0.1"
    described_at: str = "127.0.0.1"
    seconds: float = 0.0  # for every answer
    maps: dict[int, tuple[str, int, int]] = field(default_factory=dict)
    orders: list[str] = field(default_factory=list)

    def __enter__(self) -> FakeIgd:
        fake = self

        class IgdHandler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                text = DESCRIPTION.format(device=DEVICE, service=SERVICE, orders=fake.sends_to or "/orders")
                self._answer(200, text)

            def do_POST(self) -> None:
                time.sleep(fake.seconds)
                asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
                action = self.headers["SOAPAction"].strip('"').rpartition("#")[2]
                fake.orders.append(action)
                try:
                    given = fake.obey(action, dict(re.findall(r"<(New\w+)>([^<]*)</", asked)))
                except IgdFault as fault:
                    self._answer(500, SOAP.format(body=FAULT.format(code=fault, text="no")))
                    return
                inner = "".join(f"<{name}>{value}</{name}>" for name, value in given.items())
                body = f'<u:{action}Response xmlns:u="{SERVICE}">{inner}</u:{action}Response>'
                self._answer(200, SOAP.format(body=body))

            def _answer(self, code: int, text: str) -> None:
                self.send_response(code)
                self.send_header("Content-Type", "text/xml")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._web = ThreadingHTTPServer(("127.0.0.1", 0), IgdHandler)
        self._search = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._search.bind(("127.0.0.1", 0))
        self._other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._other.bind((self.answers_from, 0))
        self.search_port: int = self._search.getsockname()[1]
        for job in (self._web.serve_forever, self._answer_searches):
            threading.Thread(target=job, daemon=True).start()
        return self

    def __exit__(self, *about: object) -> None:
        self._web.shutdown()
        self._web.server_close()
        self._search.sendto(b"", self._search.getsockname())

    def _answer_searches(self) -> None:
        with self._search, self._other:
            while (asked := self._search.recvfrom(2000))[0]:
                place = f"http://{self.described_at}:{self._web.server_port}/root.xml"
                answer = f"HTTP/1.1 200 OK\r\nST: {DEVICE}:InternetGatewayDevice:1\r\nLOCATION: {place}\r\n\r\n"
                wire = self._search if self.answers_from == "127.0.0.1" else self._other
                wire.sendto(answer.encode(), asked[1])

    def obey(self, action: str, values: dict[str, str]) -> dict[str, Any]:
        """What it answers to one order."""
        port = int(values.get("NewExternalPort", "0"))
        match action:
            case "GetExternalIPAddress":
                return {"NewExternalIPAddress": self.outside}
            case "AddPortMapping":
                seconds = int(values["NewLeaseDuration"])
                if self.refuses or port in self.taken:
                    raise IgdFault(self.refuses or 718)
                if self.only_permanent and seconds:
                    raise IgdFault(725)
                if not self.forgets:
                    self.maps[port] = (values["NewInternalClient"], int(values["NewInternalPort"]), seconds)
                return {}
            case "GetSpecificPortMappingEntry" if port in self.maps:
                host, inside, seconds = self.maps[port]
                more = {"NewEnabled": 1, "NewPortMappingDescription": "Kontor", "NewLeaseDuration": seconds}
                return {"NewInternalPort": inside, "NewInternalClient": host, **more}
            case "DeletePortMapping" if self.maps.pop(port, None):
                return {}
        raise IgdFault(714)

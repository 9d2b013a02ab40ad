"""Receives a store's webhooks, with the standard library alone. verify is what to take from it.

    WEBHOOK_SECRET=whsec_… PORT=9000 python3 examples/receiver/python/receiver.py
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE = 5 * 60  # seconds
MAX_BODY = 1 << 20


def verify(key: bytes, headers, body: bytes, now: float) -> bool:
    """Reports whether body, byte for byte as it came, is signed with the receiver's secret, now."""
    event_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    try:
        if not event_id or abs(int(now) - int(timestamp)) > TOLERANCE:
            return False  # somebody may be sending again what they once saw
    except ValueError:
        return False
    signed = f"{event_id}.{timestamp}.".encode("latin-1") + body
    want = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # While a secret is rotated there are several signatures; one that fits is enough. compare_digest takes as long
    # whatever differs, so the time tells nothing.
    signatures = headers.get("webhook-signature", "").encode("latin-1").split()
    return any(hmac.compare_digest(signature, want) for signature in signatures)


class Receiver(BaseHTTPRequestHandler):
    timeout = 15  # seconds; a client that stops sending holds no thread for longer
    key = b""
    lock = threading.Lock()
    handled = set()  # a program that may be restarted keeps it in its database, written together with what the event changes there

    def do_POST(self):
        self.send_response(self.receive())
        self.end_headers()

    def receive(self) -> int:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            return 411
        if int(length) > MAX_BODY:
            return 413
        body = self.rfile.read(int(length))
        if not verify(self.key, self.headers, body, time.time()):
            return 401
        try:
            event = json.loads(body)
        except ValueError:
            return 400
        with self.lock:
            if event["id"] in self.handled:
                print(event["id"], "again", flush=True)  # its answer was lost on the way: it is sent until one arrives
            else:
                print(event["type"], f"#{event['sequence']}", event["id"], flush=True)  # your work, or a note of it if it takes long
                self.handled.add(event["id"])
        return 204  # only now, and within 15 s

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    Receiver.key = base64.b64decode(os.environ.get("WEBHOOK_SECRET", "").removeprefix("whsec_"))
    if not Receiver.key:
        sys.exit("WEBHOOK_SECRET must be the receiver's secret, whsec_…")
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
    print(f"listening at http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()

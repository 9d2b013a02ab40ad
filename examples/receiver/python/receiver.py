"""Receives a store's webhooks using only the standard library. Copy verify into your program.

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
    """Reports whether body has a valid signature with the receiver's secret and a current timestamp.

    body must be the unchanged bytes of the request.
    """
    event_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    try:
        if not event_id or abs(int(now) - int(timestamp)) > TOLERANCE:
            return False  # it may be a replay of an old request
    except ValueError:
        return False
    signed = f"{event_id}.{timestamp}.".encode("latin-1") + body
    want = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # While a secret is being rotated there are several signatures. One valid signature is enough. compare_digest
    # compares in constant time.
    signatures = headers.get("webhook-signature", "").encode("latin-1").split()
    return any(hmac.compare_digest(signature, want) for signature in signatures)


class Receiver(BaseHTTPRequestHandler):
    timeout = 15  # seconds; a client that stops sending does not block a thread for longer
    key = b""
    lock = threading.Lock()
    # Ids of handled events. A real program keeps them in its database and writes them in the same transaction as the
    # changes of the event.
    handled = set()

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
                print(event["id"], "again", flush=True)  # the response was lost, so the event was sent again
            else:
                # Your work goes here. If it takes long, only store the event.
                print(event["type"], f"#{event['sequence']}", event["id"], flush=True)
                self.handled.add(event["id"])
        return 204  # after the work, and within 15 s

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    Receiver.key = base64.b64decode(os.environ.get("WEBHOOK_SECRET", "").removeprefix("whsec_"))
    if not Receiver.key:
        sys.exit("WEBHOOK_SECRET must be the receiver's secret, whsec_…")
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
    print(f"listening at http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()

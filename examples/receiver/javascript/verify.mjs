// Verifies webhooks with Web Crypto alone: the same file runs in Node 20 and later, Deno, Bun, workers and browsers.

const TOLERANCE = 5 * 60; // seconds

/**
 * Tells whether a webhook is signed with the receiver's secret, now.
 *
 * @param {string} secret as it was shown: whsec_…
 * @param {Headers} headers of the request
 * @param {Uint8Array} body byte for byte as it came, not parsed and written again
 * @param {number} now seconds since 1970
 * @returns {Promise<boolean>}
 */
export async function verify(secret, headers, body, now = Date.now() / 1000) {
  const id = headers.get("webhook-id");
  const timestamp = headers.get("webhook-timestamp");
  if (!id || !/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > TOLERANCE) {
    return false; // without a time, somebody could send again what they once saw
  }
  const key = await crypto.subtle.importKey("raw", fromBase64(secret.replace(/^whsec_/, "")), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  // While a secret is rotated there are several signatures; one that fits is enough.
  for (const signature of (headers.get("webhook-signature") ?? "").split(" ")) {
    const [version, digest] = signature.split(",");
    // crypto.subtle.verify takes as long whatever differs, so the time tells nothing.
    if (version === "v1" && (await crypto.subtle.verify("HMAC", key, fromBase64(digest), signed))) {
      return true;
    }
  }
  return false;
}

/** Bytes of base64; none if it is not. */
function fromBase64(text = "") {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

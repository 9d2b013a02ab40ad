// Verifies webhooks with Web Crypto. The same file runs in Node 20 and later, Deno, Bun, workers and browsers.

const TOLERANCE = 5 * 60; // seconds

/**
 * Reports whether a webhook has a valid signature with the receiver's secret and a current timestamp.
 *
 * @param {string} secret the receiver's secret, whsec_…
 * @param {Headers} headers of the request
 * @param {Uint8Array} body the unchanged bytes of the request, not JSON that was parsed and encoded again
 * @param {number} now seconds since 1970
 * @returns {Promise<boolean>}
 */
export async function verify(secret, headers, body, now = Date.now() / 1000) {
  const id = headers.get("webhook-id");
  const timestamp = headers.get("webhook-timestamp");
  if (!id || !/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > TOLERANCE) {
    return false; // it may be a replay of an old request
  }
  const key = await crypto.subtle.importKey("raw", fromBase64(secret.replace(/^whsec_/, "")), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  // While a secret is being rotated there are several signatures. One valid signature is enough.
  for (const signature of (headers.get("webhook-signature") ?? "").split(" ")) {
    const [version, digest] = signature.split(",");
    // crypto.subtle.verify compares in constant time.
    if (version === "v1" && (await crypto.subtle.verify("HMAC", key, fromBase64(digest), signed))) {
      return true;
    }
  }
  return false;
}

/** Decodes base64; returns no bytes if the text is invalid. */
function fromBase64(text = "") {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

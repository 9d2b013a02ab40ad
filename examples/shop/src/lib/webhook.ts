// Verifies the signature of a webhook, as docs/webhooks.md describes it.

/** In seconds. An older request may be a replay. */
const tolerance = 5 * 60;

const bytes = (base64: string) => {
  try {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
};

/** Reports whether the body, which must be unchanged, was signed with this secret a short time ago. */
export const isSigned = async (secret: string, headers: Headers, body: Uint8Array): Promise<boolean> => {
  const id = headers.get("webhook-id") ?? "";
  const time = headers.get("webhook-timestamp") ?? "";
  if (!secret || !id || !/^\d+$/.test(time) || Math.abs(Date.now() / 1000 - Number(time)) > tolerance) return false;

  const key = await crypto.subtle.importKey("raw", bytes(secret.replace(/^whsec_/, "")),
    { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const head = new TextEncoder().encode(`${id}.${time}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);

  // For a day after a rotation there are two signatures. One that is right is enough.
  for (const signature of (headers.get("webhook-signature") ?? "").split(" ")) {
    const [version, digest = ""] = signature.split(",");
    if (version === "v1" && await crypto.subtle.verify("HMAC", key, bytes(digest), signed)) return true;
  }
  return false;
};

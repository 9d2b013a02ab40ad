// Drops from the cache what changed in the catalogue: at once when Vitrine says so, and twice a minute anyway, in case a
// webhook was lost.
import { isProblem, type Client } from "@vitrine/client";
import type { TagCache } from "./cache";

const interval = 30_000;

export class Changes {
  private version: number | undefined;
  private last: Promise<void> = Promise.resolve();

  constructor(private shop: Client, private cache: TagCache) {}

  /** Asks what changed since it was asked the last time. Calls follow one another. */
  catchUp(): Promise<void> {
    const next = this.last.then(() => this.ask());
    this.last = next.catch(() => {});
    return next;
  }

  private async ask() {
    try {
      for await (const part of this.shop.changes(this.version)) {
        if (this.version === undefined) this.cache.clear(); // what was read before the first version
        else if (part.tags?.length) this.cache.drop(part.tags);
        this.version = part.version;
      }
    } catch (error) {
      if (!isProblem(error, "version_expired")) throw error;
      this.version = undefined;
      this.cache.clear();
    }
  }

  watch() {
    const tick = () => this.catchUp().catch((error) => console.error("changes of the catalogue:", error.message));
    void tick();
    setInterval(tick, interval).unref();
  }
}

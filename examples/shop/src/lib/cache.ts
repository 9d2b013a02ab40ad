// A cache of what the catalogue answered, in the memory of this process. Each answer has tags, in the header Cache-Tag;
// what changed in the catalogue drops the answers with its tags. So pages are neither old nor asked for twice.

interface Entry {
  body: string;
  tags: string[];
  /** Until when it is used, in milliseconds since 1970. */
  until: number;
}

/** How many characters of answers are kept. */
const maxChars = 64e6;
/**
 * What changes without a change of the catalogue is read again after a minute: the settings, own redirects, and what a
 * search finds, which follows synonyms, pinned products and what others search for.
 */
const untold = /\/v2\/(store|resolve|suggest)\?|\/v2\/products\?(.*&)?q=/;
const minute = 60_000;

export class TagCache {
  private entries = new Map<string, Entry>();
  private urlsOf = new Map<string, Set<string>>();
  private loading = new Map<string, Promise<Response>>();
  private chars = 0;
  /** Grows with each drop, so that an answer from before it is not kept after it. */
  private generation = 0;

  /** A fetch that answers from memory. It is for one key: answers are told apart by their addresses alone. */
  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    if (init.method !== "GET") return fetch(url, init);
    const entry = this.entries.get(url);
    if (entry && entry.until > Date.now()) {
      this.entries.delete(url); // the latest stands last
      this.entries.set(url, entry);
      return answer(entry.body);
    }

    let pending = this.loading.get(url);
    if (!pending) {
      pending = this.load(url, init).finally(() => this.loading.delete(url));
      this.loading.set(url, pending);
    }
    try {
      const response = await pending;
      if (!entry || response.status < 500) return response.clone();
    } catch (error) {
      if (!entry) throw error;
    }
    return answer(entry.body); // while Vitrine does not answer, what it said before
  };

  private async load(url: string, init: RequestInit): Promise<Response> {
    const { generation } = this;
    const response = await fetch(url, init);
    const tags = response.headers.get("Cache-Tag")?.split(",") ?? [];
    const brief = untold.test(url);
    if (!response.ok || (tags.length === 0 && !brief)) return response;

    const body = await response.text();
    if (generation === this.generation) {
      this.keep(url, { body, tags, until: brief ? Date.now() + minute : Infinity });
    }
    return answer(body);
  }

  private keep(url: string, entry: Entry) {
    this.remove(url);
    this.entries.set(url, entry);
    this.chars += entry.body.length;
    for (const tag of entry.tags) {
      const urls = this.urlsOf.get(tag);
      if (urls) urls.add(url);
      else this.urlsOf.set(tag, new Set([url]));
    }
    for (const oldest of this.entries.keys()) {
      if (this.chars <= maxChars) break;
      this.remove(oldest);
    }
  }

  private remove(url: string) {
    const entry = this.entries.get(url);
    if (!entry) return;
    this.entries.delete(url);
    this.chars -= entry.body.length;
    for (const tag of entry.tags) {
      const urls = this.urlsOf.get(tag);
      urls?.delete(url);
      if (urls?.size === 0) this.urlsOf.delete(tag);
    }
  }

  /** Drops the answers with one of these tags. */
  drop(tags: Iterable<string>) {
    this.generation++;
    this.loading.clear();
    for (const tag of tags) for (const url of [...(this.urlsOf.get(tag) ?? [])]) this.remove(url);
  }

  /** Drops everything. */
  clear() {
    this.generation++;
    this.loading.clear();
    this.entries.clear();
    this.urlsOf.clear();
    this.chars = 0;
  }
}

// Without an ETag the client does not keep the answer, too.
const answer = (body: string) => new Response(body, { headers: { "Content-Type": "application/json" } });

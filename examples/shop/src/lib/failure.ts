// What a visitor sees if Vitrine does not answer, or if there is a fault here. The page asks for nothing.
import { isProblem } from "@vitrine/client";

/** Vitrine is stopped, starts, or has too much to do. */
const isBusy = (error: unknown) => isProblem(error) && (error.status === 0 || error.status === 429 || error.status >= 500);

const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="robots" content="noindex" />
    <title>Unavailable</title>
  </head>
  <body style="font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto; padding: 1rem">
    <h1 style="font-size: 1.6rem">The shop cannot answer now</h1>
    <p>Please try again in a minute.</p>
    <h2 lang="ru" style="font-size: 1.6rem">Магазин сейчас не отвечает</h2>
    <p lang="ru">Попробуйте через минуту.</p>
  </body>
</html>
`;

/** The answer to a request that failed: 503 if it may work soon, or 500. */
export const failure = (error: unknown) => {
  const status = isBusy(error) ? 503 : 500;
  console.error(error instanceof Error && status === 503 ? `Vitrine: ${error.message}` : error);
  const headers = new Headers({ "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" });
  if (status === 503) headers.set("Retry-After", "60");
  return new Response(html, { status, headers });
};

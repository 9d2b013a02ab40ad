// Starts Chromium.
import { existsSync } from "node:fs";
import puppeteer from "puppeteer-core";

const programs = [process.env.CHROME_PATH, "/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/google-chrome",
  "/usr/bin/chromium-browser", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];

export const chromium = () => programs.find((path) => path && existsSync(path)) ??
  (() => { throw new Error("Chromium is not installed. Set CHROME_PATH."); })();

export const launch = () => puppeteer.launch({
  executablePath: chromium(), headless: "shell",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
});

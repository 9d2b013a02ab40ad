// Installs the packages of a folder, if what is installed is older than the lock file.
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

export const install = (folder, what) => {
  const [lock, installed] = ["package-lock.json", "node_modules/.package-lock.json"].map((name) => join(folder, name));
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  console.log(`Installing the packages of ${what} with npm.`);
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
    { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
};

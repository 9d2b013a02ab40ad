// Runs the tests in Node: node test/node.mjs '{"url": …}'
import { run } from "./suite.mjs";

console.log(JSON.stringify(await run(JSON.parse(process.argv[2]))));

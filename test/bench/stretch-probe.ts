import { writeFileSync } from "node:fs";
import { watchStretches } from "./stretch.ts";

/*
 * Loaded ahead of the service (`--preload`): on SIGUSR2 writes into the file of STRETCHES_FILE the longest stretch of its event loop since the last
 * time, in milliseconds of processor time. The loop does not sleep meanwhile, so what else is measured of this process is not its own.
 */

const longest = watchStretches();
process.on("SIGUSR2", () => writeFileSync(process.env.STRETCHES_FILE ?? "", String(longest())));

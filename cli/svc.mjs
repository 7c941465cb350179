#!/usr/bin/env node
// Begins the packed program. Written in words that every Node understands, so that one that is too old is told so,
// rather than shown a mistake in a file that it cannot read.
import process from "node:process";

const OLDEST = 20;

if (Number.parseInt(process.versions.node, 10) < OLDEST) {
	process.stderr.write(
		`error: svc needs Node ${OLDEST} or later, and this is Node ${process.versions.node}.\n` +
			"next: install a newer one from https://nodejs.org, or take the executable, which needs none.\n",
	);
	process.exitCode = 1;
} else {
	await import("./program.mjs");
}

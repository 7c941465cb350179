import { afterAll } from "bun:test";
import { endAllFiles } from "./last-of-all.ts";

/* Loaded before every test (bunfig.toml): Bun's test runner ends without the event by which other programs hear of their end. */

afterAll(endAllFiles);

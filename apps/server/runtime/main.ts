import { addStandards } from "./standards.ts";

/* The program on Node and Deno. */

addStandards();
await import("../main.ts");

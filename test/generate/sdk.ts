import { generated, generatedTakes, pathOf } from "./sdk-files.ts";

/* `npm run generate`: makes the SDK's types and lists from the API document of the service as it is in this folder, and from the types what its
   functions take. */

for (const [name, text] of Object.entries(await generated())) await Bun.write(pathOf(name), text);
for (const [name, text] of Object.entries(generatedTakes())) await Bun.write(pathOf(name), text);

import node from "@astrojs/node";
import { defineConfig } from "astro/config";

export default defineConfig({
	output: "server",
	adapter: node({ mode: "standalone" }),
	// Pictures go from the service straight to the browser, in the sizes that <Image> asks for.
	image: { service: { entrypoint: "@svc/sdk/astro" } },
});

import { createLoader } from "@svc/sdk/next";

/** AVIF or WebP, by what each browser accepts. */
export default createLoader({ format: "auto" });

import { serve } from "./serve.ts";
import { work } from "./tasks.ts";

/* The program of a worker, started by child.ts. */

await serve(work);

import { openSharp } from "../../sharp-settings.ts";
import { serve } from "../inside/serve.ts";
import { work } from "../inside/tasks.ts";

/* The program of a worker, started by child.ts. */

openSharp();
await serve(work);

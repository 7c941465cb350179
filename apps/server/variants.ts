/* The one file that knows all interface versions, a line each. A version whose folder is deleted is gone with its line. */

export { current } from "@svc/versions/current";
export { legacy } from "@svc/versions/legacy/legacy";
export { transition } from "@svc/versions/transition/transition";

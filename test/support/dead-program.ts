/* A worker that ends as soon as it has started. */

process.exit(1);

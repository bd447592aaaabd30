// The worker starts when it is imported, and exports nothing.
export {};

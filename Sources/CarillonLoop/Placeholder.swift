// The room is furnished below.

package openstack

// Names of this package that its external tests use.
var Invent = invent

const GoodCatalogue = goodCatalogue

package ask

// Names for the tests of package ask_test.
var (
	RequestFields, ParameterFields, PartFields = requestFields, parameterFields, partFields
	OperatorNames, CompareNames                = func() []string { return operatorNames(AllOperators()) }, compareNames
)

package box

import "reflect"

// Symbols returns the functions that lowered source calls.
func (s *Space) Symbols() map[string]reflect.Value {
	return map[string]reflect.Value{
		"Types": reflect.ValueOf(s.Types), "Method": reflect.ValueOf(s.Method), "Interface": reflect.ValueOf(s.Interface), "Native": reflect.ValueOf(s.Native), "Array": reflect.ValueOf(s.Array), "Hidden": reflect.ValueOf(s.Hidden),
		"Box": reflect.ValueOf(s.Box), "Any": reflect.ValueOf(s.Any), "Content": reflect.ValueOf(s.Content), "Raw": reflect.ValueOf(s.Raw), "Signature": reflect.ValueOf(s.Signature), "TypeMethod": reflect.ValueOf(s.TypeMethod), "FoundMethod": reflect.ValueOf(s.FoundMethod), "AssignableTo": reflect.ValueOf(s.AssignableTo), "ConvertibleTo": reflect.ValueOf(s.ConvertibleTo), "Call": reflect.ValueOf(s.Call),
		"Is": reflect.ValueOf(s.Is), "Get": reflect.ValueOf(s.Get), "To": reflect.ValueOf(s.To), "Equal": reflect.ValueOf(s.Equal), "Same": reflect.ValueOf(s.Same),
		"As": reflect.ValueOf(s.As), "AsAny": reflect.ValueOf(s.AsAny), "Panic": reflect.ValueOf(s.Panic), "Recovered": reflect.ValueOf(s.Recovered), "Rune": reflect.ValueOf(s.Rune),
		"Clear": reflect.ValueOf(s.Clear), "Mirror": reflect.ValueOf(s.Mirror), "Fill": reflect.ValueOf(s.Fill), "Data": reflect.ValueOf(s.Data),
		"Frame": reflect.ValueOf(s.Frame), "NoPanic": reflect.ValueOf(s.NoPanic), "NilReceiver": reflect.ValueOf(s.NilReceiver), "Unwinding": reflect.ValueOf((*Unwinding)(nil)),
		"Key": reflect.ValueOf(s.Key), "Recovering": reflect.ValueOf(s.Recovering), "Select": reflect.ValueOf(s.Select),
		"Keys": reflect.ValueOf(s.Keys), "Print": reflect.ValueOf(s.Print), "Words": reflect.ValueOf(s.Words), "DeepEqual": reflect.ValueOf(s.DeepEqual),
		"Embed": reflect.ValueOf(Embed), "Result": reflect.ValueOf(s.Result), "Funcs": reflect.ValueOf(s.Funcs),
		"Execute": reflect.ValueOf(s.Execute), "ExecuteTemplate": reflect.ValueOf(s.ExecuteTemplate), "Operands": reflect.ValueOf(s.Operands), "Callers": reflect.ValueOf(Callers), "CallersFrames": reflect.ValueOf(CallersFrames), "FuncForPC": reflect.ValueOf(FuncForPC), "Implements": reflect.ValueOf(s.Implements),
		"TextVar": reflect.ValueOf(s.TextVar), "SetTextVar": reflect.ValueOf(s.SetTextVar), "GobWrite": reflect.ValueOf(s.GobWrite), "GobRead": reflect.ValueOf(s.GobRead), "GobRegister": reflect.ValueOf(s.GobRegister), "GobRegisterName": reflect.ValueOf(s.GobRegisterName),
		"XML": reflect.ValueOf(s.XML), "XMLNamed": reflect.ValueOf(s.XMLNamed), "XMLPlace": reflect.ValueOf(s.XMLPlace), "UnsafeSlice": reflect.ValueOf(UnsafeSlice), "UnsafeSliceData": reflect.ValueOf(UnsafeSliceData), "UnsafeString": reflect.ValueOf(UnsafeString), "UnsafeStringData": reflect.ValueOf(UnsafeStringData),
		"Consistent": reflect.ValueOf(s.Consistent), "Sprintf": reflect.ValueOf(s.Sprintf), "Marshal": reflect.ValueOf(s.Marshal), "Encode": reflect.ValueOf(s.Encode), "Scanned": reflect.ValueOf(s.Scanned), "LogJSON": reflect.ValueOf(s.LogJSON), "LogText": reflect.ValueOf(s.LogText), "ContextKey": reflect.ValueOf(s.ContextKey),
	}
}
